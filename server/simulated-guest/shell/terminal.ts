import { CTRL_C } from './keys.ts';
import { editLine } from './line-editor.ts';
import type { Sink, Source } from './pipe.ts';

/** As much as Linux keeps of what is typed ahead; what comes on top is lost, as there. */
const MAX_PENDING_KEYS = 4096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal speaks in control characters.
const KEY = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[ -~])|[\s\S]/gu;

const MAX_COLUMNS = 500;
const MAX_ROWS = 200;

/**
 * A terminal's line discipline: what is typed goes in as bytes, what is to be seen comes out. A reader takes it key
 * by key, as an edited line, or as the standard input of a command.
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

  /** Takes what was typed. */
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

  /** The next key; undefined once input has ended, or `signal` aborted. */
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

  /** Shows bytes; each line's end gets its carriage return. */
  async write(bytes: Buffer): Promise<void> {
    if (!bytes.includes(0x0a)) return this.#show(bytes);
    await this.#show(Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1'));
  }

  print(text: string): Promise<void> {
    return this.write(Buffer.from(text));
  }

  /** Asks for a line; undefined when there is no more. Without `echo` nothing of it is seen. */
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

  /** The standard input of a command: lines as they are typed, to Ctrl-D. */
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

  /** Input has ended. */
  close(): void {
    this.#closed = true;
    this.#waiting?.(undefined);
    this.#waiting = undefined;
  }
}
