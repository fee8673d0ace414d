import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { blankDatabase } from './pglite-blank.ts';
import { PARSERS, SERIALIZERS } from './values.ts';

/**
 * What the engine keeps of its files in this process's memory, all of it from the start. The system's own cache of
 * them is one copy away, so more than this buys little; the engine's default takes 128 MB.
 */
const SHARED_BUFFERS = '32MB';

/**
 * How much of a function V8 executes, in bytes of its code, before it compiles it again with all optimisations; 13 MB
 * unless it is set. It counts each turn of a loop with the whole length that it jumps, so the largest functions, such as
 * PostgreSQL's parser, look hot after a hundred turns, and optimising that one takes 600 MB and 0.7 s of a core.
 */
setFlagsFromString('--wasm-tiering-budget=500000000');

const settings = Object.entries({
  shared_buffers: SHARED_BUFFERS,
  // A recovery would leave a timer behind, which calls into the engine ever after, closed or not.
  log_startup_progress_interval: '0',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** What PGlite's loop takes for an ordinary error of a statement: the status of the exception that it is thrown as. */
const STATEMENT_FAILED = 100;

type Entries = Record<string, unknown>;

/** PGlite that can break down without taking the process with it. */
export class Engine extends PGlite {
  #broken: Error | undefined;

  /**
   * Opens the files in `dataDir`, or those that `fs` keeps, or an engine in memory; `loadDataDir` is the archive that a new one
   * begins with.
   */
  static async open(files: Pick<PGliteOptions, 'dataDir' | 'loadDataDir' | 'fs'> = {}): Promise<Engine> {
    const engine = new Engine({
      ...files,
      startParams: [...PGlite.defaultStartParams, ...settings],
      parsers: PARSERS,
      serializers: SERIALIZERS as Record<number, (value: unknown) => string>,
    });
    try {
      await engine.waitReady;
    } catch (error) {
      engine.abandon();
      throw error;
    }
    engine.#contain();
    return engine;
  }

  /** Why it broke down, after which nothing can be asked of it; undefined while it works. */
  get broken(): Error | undefined {
    return this.#broken;
  }

  /** Closes the files of one that has broken down. It writes nothing: what it remembers may not be what is right. */
  abandon(): void {
    try {
      this.mod?.FS.quit();
    } catch {
      // Half open; what is left goes with the process.
    }
  }

  /** Not asked: a fifth of its opening, and PARSERS know the types of arrays. */
  override async _initArrayTypes(): Promise<void> {}

  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (this.#broken) throw this.#broken;
    return super.execProtocolRawSync(message);
  }

  /**
   * Ends what the engine does when it panics, as PostgreSQL does where it could not write its log ahead. PGlite would
   * ask it for ever to go on, on the thread of this process; and whatever is called in it after a panic may hang, or
   * write over the files what another engine has made of them since. So no entry of it works from then on.
   */
  #contain(): void {
    const entries = this.mod as unknown as Entries;
    const loop = entries._PostgresMainLoopOnce as () => void;
    entries._PostgresMainLoopOnce = () => {
      try {
        loop();
      } catch (error) {
        if ((error as { status?: unknown }).status !== STATEMENT_FAILED) this.#break(error, entries);
        throw error;
      }
    };
  }

  #break(cause: unknown, entries: Entries): void {
    const broken = new Error('the embedded database broke down', { cause });
    this.#broken = broken;
    for (const [name, entry] of Object.entries(entries)) {
      if (typeof entry !== 'function' || !/^(_|stack)/.test(name)) continue;
      entries[name] = () => {
        throw broken;
      };
    }
  }
}

/** Opens the engine on `directory`, which is made where it does not exist. */
export async function openEngine(directory: string): Promise<Engine> {
  // A process that was killed while it made the database leaves a part of one, which could never be opened.
  const unfinished = `${directory}.unfinished`;
  if (existsSync(unfinished)) await rm(directory, { recursive: true, force: true });
  // PGlite writes its files readable by everybody; the directory is what keeps others out.
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!made) return Engine.open({ dataDir: directory });
  await writeFile(unfinished, '');
  try {
    return await Engine.open({ dataDir: directory, loadDataDir: await blankDatabase() });
  } catch (error) {
    // It keeps no room that the next try needs.
    await rm(directory, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(unfinished);
  }
}
