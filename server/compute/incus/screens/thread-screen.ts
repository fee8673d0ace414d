import { BoundedTerminal } from '../../../screens/text-console/bounded-terminal.ts';
import { COLUMNS, Picture, ROWS } from '../../../screens/text-console/picture.ts';
import type { TextConsole } from '../../../screens/text-console/text-screen.ts';
import { Share } from './share.ts';

/** Shares of the thread's time for processing one guest's output, and for drawing its pictures. */
const WRITING_SHARE = 0.2;
const DRAWING_SHARE = 0.2;

export interface ThreadScreenHooks {
  typed(text: string): void;
}

/** The thread's copy of one guest's text screen. All its viewers see the same. */
export class ThreadScreen implements TextConsole {
  readonly name: string;
  readonly #terminal = new BoundedTerminal({ cols: COLUMNS, rows: ROWS, scrollback: 0 });
  readonly #watchers = new Set<() => void>();
  readonly #hooks: ThreadScreenHooks;
  readonly #writing = new Share(WRITING_SHARE);
  readonly #drawing = new Share(DRAWING_SHARE);
  #isPast = false;

  constructor(name: string, hooks: ThreadScreenHooks) {
    this.name = name;
    this.#hooks = hooks;
    this.#terminal.terminal.onData((text) => {
      if (!this.#isPast) hooks.typed(text);
    });
  }

  get applicationCursorKeys(): boolean {
    return this.#terminal.terminal.modes.applicationCursorKeysMode;
  }

  picture(): Picture {
    return new Picture(this.#terminal.terminal);
  }

  type(text: string): void {
    if (text) this.#hooks.typed(text);
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  draw<T>(work: () => T): Promise<T> {
    return this.#drawing.take(async () => work());
  }

  /** Resolves when the bytes are on the screen. */
  async write(bytes: Uint8Array, past: boolean): Promise<void> {
    await this.#writing.take(async () => {
      this.#isPast = past;
      await new Promise<void>((resolve) => this.#terminal.write(bytes, resolve));
    });
    for (const changed of this.#watchers) changed();
  }

  close(): void {
    this.#terminal.close();
  }
}
