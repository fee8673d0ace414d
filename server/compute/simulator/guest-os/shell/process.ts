import { FileError } from '../system/entry.ts';
import { absolute } from '../system/paths.ts';
import type { System } from '../system/system.ts';
import type { Sink, Source } from './pipe.ts';
import type { Shell } from './shell.ts';

/** Runs a command and returns its exit code. */
export type Command = (process: Process) => Promise<number> | number;

/** Killed by Ctrl-C or a signal. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
/** Killed for reading or writing without end. */
export class OverBudget extends Error {
  override name = 'OverBudget';
}

/** Output after which the command yields, however fast its reader is. */
const YIELD_EVERY_BYTES = 262_144;
/** A runaway command is stopped here; any sensible output is far smaller. */
const MAX_OUTPUT_BYTES = 4_294_967_296;
/** Reading uses CPU time of the whole service; a simulation needs far less than this. */
const MAX_INPUT_BYTES = 1_073_741_824;
/** Longest delay of a timer: 24 days. */
const MAX_SLEEP_MS = 2_147_483_647;
/** Lower for text, because splitting it into lines costs ten times as much. */
const MAX_TEXT_BYTES = 134_217_728;

export interface Streams {
  stdin: Source;
  stdout: Sink;
  stderr: Sink;
  signal: AbortSignal;
}

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

  /** Yields to other work after each chunk. */
  async *#paced(source: Source): AsyncGenerator<Buffer> {
    for await (const bytes of source) {
      if (this.signal.aborted) throw new Interrupted('interrupted');
      this.#taken += bytes.length;
      if (this.#taken > MAX_INPUT_BYTES) throw new OverBudget('too much input');
      yield bytes;
      await new Promise(setImmediate);
    }
  }

  read(path: string, from = 0): Source {
    return this.#paced(this.system.files.read(path, this.shell.user, from));
  }

  async print(text: string): Promise<void> {
    if (text) await this.stdout.write(Buffer.from(text));
  }

  /** Prints an error as "name: text". Returns the exit code. */
  async fail(text: string, code = 1): Promise<number> {
    await this.stderr.write(Buffer.from(`${this.name}: ${text}\n`));
    return code;
  }

  path(argument: string): string {
    return absolute(this.shell.cwd, argument);
  }

  /** Sleeps by the guest's clock. */
  async sleep(ms: number): Promise<void> {
    await this.system.clock.sleep(Math.min(ms, MAX_SLEEP_MS), this.signal).catch(() => {
      throw new Interrupted('interrupted');
    });
  }

  /** Returns the letters of the options before `--`, and the other arguments. For "-n5", both "n" and "5" are letters. */
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

  /** Calls `work` for each path. If it fails for one, reports that and continues. Returns the exit code. */
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

  /** Yields the content of the files one after the other, or of standard input if there are none. */
  async *contents(paths: string[]): AsyncGenerator<Buffer> {
    for (const shown of paths.length > 0 ? paths : ['-']) {
      if (shown === '-') yield* this.stdin;
      else yield* this.read(this.path(shown));
    }
  }
}

/** Longer lines are split into several: no simulated command needs them whole. */
const MAX_LINE = 65_536;

/** Yields the lines of a text, without line ends. */
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
