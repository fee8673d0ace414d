import { CTRL_C } from './keys.ts';
import { editLine } from './line-editor.ts';
import type { Sink, Source } from './pipe.ts';

/** Size of Linux's buffer for input typed ahead; further input is lost, as on Linux. */
const MAX_PENDING_KEYS = 4096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal speaks in control characters.
const KEY = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[ -~])|[\s\S]/gu;

const MAX_COLUMNS = 500;
const MAX_ROWS = 200;

/**
 * A terminal's line discipline: takes typed bytes and produces output. A command reads it key by key, as an edited
 * line, or as its standard input.
 */
export class Terminal implements Sink {
  readonly #show: (bytes: Buffer) => Promise<void>;
  readonly #decoder = new TextDecoder();
  #keys: string[] = [];
  #waiting: ((key: string | undefined) => void) | undefined;
  #interrupt: (() => void) | undefined;
  #closed = false;
  columns = 80;
  rows = 24;

  constructor(show: (bytes: Buffer) => Promise<void>) {
    this.#show = show;
  }

  resize(columns: number, rows: number): void {
    this.columns = Math.min(Math.max(columns || 80, 1), MAX_COLUMNS);
    this.rows = Math.min(Math.max(rows || 24, 1), MAX_ROWS);
  }

  input(bytes: Uint8Array): void {
    for (const [key] of this.#decoder.decode(bytes, { stream: true }).matchAll(KEY)) this.#press(key);
  }

  #press(key: string): void {
    if (key === CTRL_C && this.#interrupt) {
      this.#keys = [];
      this.print('^C\n').catch(() => {});
      this.#interrupt();
    } else if (this.#waiting) {
      const take = this.#waiting;
      this.#waiting = undefined;
      take(key);
    } else if (this.#keys.length < MAX_PENDING_KEYS) this.#keys.push(key);
  }

  /** Returns the next key; undefined if input has ended or `signal` aborts. */
  key(signal?: AbortSignal): Promise<string | undefined> {
    if (this.#keys.length > 0) return Promise.resolve(this.#keys.shift());
    if (this.#closed || signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const giveUp = () => {
        if (this.#waiting === take) this.#waiting = undefined;
        resolve(undefined);
      };
      const take = (key: string | undefined) => {
        signal?.removeEventListener('abort', giveUp);
        resolve(key);
      };
      this.#waiting = take;
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Outputs bytes, with a carriage return added to each line end. */
  async write(bytes: Buffer): Promise<void> {
    if (!bytes.includes(0x0a)) return this.#show(bytes);
    await this.#show(Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1'));
  }

  print(text: string): Promise<void> {
    return this.write(Buffer.from(text));
  }

  /** Prompts for a line; undefined if input has ended. Without `echo`, typed characters are not shown. */
  async readLine(
    prompt: string,
    options: { echo?: boolean; history?: string[] } = {},
  ): Promise<string | undefined> {
    await this.print(prompt);
    return editLine(this, prompt, options);
  }

  /** Runs a command in the foreground: Ctrl-C aborts it. */
  async foreground<T>(work: (signal: AbortSignal) => Promise<T>, outer: AbortSignal): Promise<T> {
    const controller = new AbortController();
    this.#interrupt = () => controller.abort();
    try {
      return await work(AbortSignal.any([controller.signal, outer]));
    } finally {
      this.#interrupt = undefined;
    }
  }

  /** Returns the standard input of a command: lines as they are typed, until Ctrl-D. */
  stdin(signal: AbortSignal): Source {
    const lines = async function* (terminal: Terminal) {
      while (!signal.aborted) {
        const line = await editLine(terminal, '', { signal });
        if (line === undefined) return;
        yield Buffer.from(`${line}\n`);
      }
    };
    return { [Symbol.asyncIterator]: () => lines(this) };
  }

  close(): void {
    this.#closed = true;
    this.#waiting?.(undefined);
    this.#waiting = undefined;
  }
}
