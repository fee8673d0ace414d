import { FileError } from '../system/entry.ts';
import { absolute } from '../system/paths.ts';
import type { System } from '../system/system.ts';
import type { Sink, Source } from './pipe.ts';
import type { Shell } from './shell.ts';

/** A command: what it returns is its exit code. */
export type Command = (process: Process) => Promise<number> | number;

/** Killed by Ctrl-C or a signal. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
/** Killed for writing without end where nothing slows it down. */
export class OverBudget extends Error {
  override name = 'OverBudget';
}

/** Others get their turn after this much output, however fast its reader is. */
const YIELD_EVERY_BYTES = 262_144;
/** A runaway command ends here; the largest transfer that means something is far smaller. */
const MAX_OUTPUT_BYTES = 4_294_967_296;
/** Reading costs CPU of the whole service; what a simulation has to read is far less. */
const MAX_INPUT_BYTES = 1_073_741_824;
/** The longest that a timer takes: 24 days. */
const MAX_SLEEP_MS = 2_147_483_647;
/** Text is taken apart line by line, which costs ten times as much. */
const MAX_TEXT_BYTES = 134_217_728;

export interface Streams {
  stdin: Source;
  stdout: Sink;
  stderr: Sink;
  signal: AbortSignal;
}

/** One running command: its arguments, streams and surroundings. */
export class Process implements Streams {
  readonly name: string;
  readonly args: string[];
  readonly shell: Shell;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly signal: AbortSignal;
  #sinceYield = 0;
  #written = 0;
  #taken = 0;

  constructor(shell: Shell, [name = '', ...args]: string[], { stdin, stdout, stderr, signal }: Streams) {
    this.shell = shell;
    this.name = name;
    this.args = args;
    this.stdin = this.#paced(stdin);
    this.stdout = { write: (bytes) => this.#write(stdout, bytes) };
    this.stderr = { write: (bytes) => this.#write(stderr, bytes) };
    this.signal = signal;
  }

  get system(): System {
    return this.shell.system;
  }

  async #write(sink: Sink, bytes: Buffer): Promise<void> {
    if (this.signal.aborted) throw new Interrupted('interrupted');
    this.#written += bytes.length;
    if (this.#written > MAX_OUTPUT_BYTES) throw new OverBudget('too much output');
    await sink.write(bytes);
    this.#sinceYield += bytes.length;
    if (this.#sinceYield < YIELD_EVERY_BYTES) return;
    this.#sinceYield = 0;
    await new Promise(setImmediate);
  }

  /** Input in its pieces, with a turn for others between them. */
  async *#paced(source: Source): AsyncGenerator<Buffer> {
    for await (const bytes of source) {
      if (this.signal.aborted) throw new Interrupted('interrupted');
      this.#taken += bytes.length;
      if (this.#taken > MAX_INPUT_BYTES) throw new OverBudget('too much input');
      yield bytes;
      await new Promise(setImmediate);
    }
  }

  /** The content of a file, from byte `from` on. */
  read(path: string, from = 0): Source {
    return this.#paced(this.system.files.read(path, this.shell.user, from));
  }

  /** Writes text to standard output. */
  async print(text: string): Promise<void> {
    if (text) await this.stdout.write(Buffer.from(text));
  }

  /** Says what is wrong, as "name: text". The exit code to return. */
  async fail(text: string, code = 1): Promise<number> {
    await this.stderr.write(Buffer.from(`${this.name}: ${text}\n`));
    return code;
  }

  /** The absolute path that an argument means. */
  path(argument: string): string {
    return absolute(this.shell.cwd, argument);
  }

  /** Waits, on the guest's clock. */
  async sleep(ms: number): Promise<void> {
    await this.system.clock.sleep(Math.min(ms, MAX_SLEEP_MS), this.signal).catch(() => {
      throw new Interrupted('interrupted');
    });
  }

  /** Letters of the options before `--`, and the other arguments. "-n5" gives "n" and "5" as letters. */
  options(): { letters: Set<string>; words: string[]; long: Set<string> } {
    const letters = new Set<string>();
    const long = new Set<string>();
    const words: string[] = [];
    let ended = false;
    for (const arg of this.args) {
      if (ended || !arg.startsWith('-') || arg === '-') words.push(arg);
      else if (arg === '--') ended = true;
      else if (arg.startsWith('--')) long.add(arg.slice(2));
      else for (const letter of arg.slice(1)) letters.add(letter);
    }
    return { letters, words, long };
  }

  /** Does `work` for each path; one that fails is named and the others go on. The exit code. */
  async each(paths: string[], work: (path: string, shown: string) => Promise<void>): Promise<number> {
    let code = 0;
    for (const shown of paths) {
      try {
        await work(this.path(shown), shown);
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        code = await this.fail(`${shown}: ${error.message}`);
      }
    }
    return code;
  }

  /** The content of the named files, one after the other, or standard input without names. */
  async *contents(paths: string[]): AsyncGenerator<Buffer> {
    for (const shown of paths.length > 0 ? paths : ['-']) {
      if (shown === '-') yield* this.stdin;
      else yield* this.read(this.path(shown));
    }
  }
}

/** A line longer than this is cut into several: no program of ours needs it whole. */
const MAX_LINE = 65_536;

/** Text in lines, without their ends. */
export async function* linesOf(source: Source): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let taken = 0;
  for await (const bytes of source) {
    taken += bytes.length;
    if (taken > MAX_TEXT_BYTES) throw new OverBudget('too much text');
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines;
    if (rest.length > MAX_LINE) {
      yield rest;
      rest = '';
    }
  }
  if (rest) yield rest;
}
