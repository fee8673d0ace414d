import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { blankDatabase } from './pglite-blank.ts';
import { PARSERS, SERIALIZERS } from './values.ts';

/**
 * The part of its files that the engine caches in this process's memory, allocated in full from the start. The
 * operating system caches the same files one copy away, so a larger cache gains little; the engine's default is 128 MB.
 */
const SHARED_BUFFERS = '32MB';

/**
 * Number of bytes of a function's code that V8 executes before it recompiles the function with all optimisations; 13 MB
 * by default. Each loop iteration counts the whole length of its jump, so the largest functions, such as PostgreSQL's
 * parser, look hot after a hundred iterations, and optimising that one takes 600 MB and 0.7 s of a core.
 */
setFlagsFromString('--wasm-tiering-budget=500000000');

const settings = Object.entries({
  shared_buffers: SHARED_BUFFERS,
  // A recovery would leave behind a timer that keeps calling into the engine, even after it was closed.
  log_startup_progress_interval: '0',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** The status of the thrown exception that PGlite's loop treats as an ordinary statement error. */
const STATEMENT_FAILED = 100;

type Entries = Record<string, unknown>;

/** A PGlite that can break down without taking the process with it. */
export class Engine extends PGlite {
  #broken: Error | undefined;

  /**
   * Opens the files in `dataDir`, those kept by `fs`, or an in-memory engine. A new engine starts from the archive
   * `loadDataDir`.
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

  /** Why the engine broke down; after that, every call fails. Undefined while it works. */
  get broken(): Error | undefined {
    return this.#broken;
  }

  /** Closes the files of an engine that has broken down. Writes nothing, because its memory may be corrupt. */
  abandon(): void {
    try {
      this.mod?.FS.quit();
    } catch {
      // Only half open; the rest is freed with the process.
    }
  }

  /** Skipped: it takes a fifth of the opening time, and PARSERS already know the array types. */
  override async _initArrayTypes(): Promise<void> {}

  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (this.#broken) throw this.#broken;
    return super.execProtocolRawSync(message);
  }

  /**
   * Stops the engine when it panics, as PostgreSQL does if it could not write its write-ahead log. PGlite would keep
   * asking it to continue forever, on this process's thread; and any call into it after a panic may hang, or overwrite
   * files that another engine has changed since. So from then on all its entry points throw.
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
    const broken = new Error('the embedded database failed', { cause });
    this.#broken = broken;
    for (const [name, entry] of Object.entries(entries)) {
      if (typeof entry !== 'function' || !/^(_|stack)/.test(name)) continue;
      entries[name] = () => {
        throw broken;
      };
    }
  }
}

/** Opens the engine on `directory`, which is created if it does not exist. */
export async function openEngine(directory: string): Promise<Engine> {
  // A process killed while creating the database leaves a partial one that could never be opened.
  const unfinished = `${directory}.unfinished`;
  if (existsSync(unfinished)) await rm(directory, { recursive: true, force: true });
  // PGlite makes its files world-readable; the directory's mode keeps others out.
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!made) return Engine.open({ dataDir: directory });
  await writeFile(unfinished, '');
  try {
    return await Engine.open({ dataDir: directory, loadDataDir: await blankDatabase() });
  } catch (error) {
    // The partial files must not take the space that the next try needs.
    await rm(directory, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(unfinished);
  }
}
