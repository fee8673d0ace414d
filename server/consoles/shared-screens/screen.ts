import type { SerializeAddon as Serializer } from '@xterm/addon-serialize';
import serializeAddon from '@xterm/addon-serialize';
import type { ITerminalAddon, Terminal } from '@xterm/headless';
import { BoundedTerminal } from '../../screens/text-console/bounded-terminal.ts';
import { MAX_PICTURE_BYTES, MAX_PICTURE_CELLS, SHARED_SCROLLBACK_LINES } from '../limits.ts';
import type { TerminalSize } from '../terminal.ts';

/** Clears a terminal completely; the whole screen follows. */
const RESET = '\x1bc';

/** The screen of one shared shell, kept as a terminal would keep it. Its memory is bounded, whatever is written. */
export class SharedScreen {
  readonly #bounded: BoundedTerminal;
  readonly #terminal: Terminal;
  readonly #serializer: Serializer;

  constructor({ cols, rows }: TerminalSize) {
    this.#bounded = new BoundedTerminal({ cols, rows, scrollback: SHARED_SCROLLBACK_LINES });
    this.#terminal = this.#bounded.terminal;
    this.#serializer = new serializeAddon.SerializeAddon();
    // The addon's types require the browser's terminal, but it only uses what both terminals have.
    this.#terminal.loadAddon(this.#serializer as unknown as ITerminalAddon);
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#bounded.write(bytes, done);
  }

  /** Takes effect once everything written before is on the screen. The same applies to {@link draw}. */
  resize({ cols, rows }: TerminalSize): void {
    this.#terminal.write('', () => this.#terminal.resize(cols, rows));
  }

  /**
   * Passes the screen, and as many lines above it as fit, to `done` as bytes for a terminal: at most {@link
   * MAX_PICTURE_BYTES}. `ms` is the time it took.
   */
  draw(done: (picture: Buffer<ArrayBuffer>, ms: number) => void): void {
    this.#terminal.write('', () => {
      const startedAt = performance.now();
      const picture = this.#picture();
      done(picture, performance.now() - startedAt);
    });
  }

  close(): void {
    this.#bounded.close();
  }

  #picture(): Buffer<ArrayBuffer> {
    const { cols, rows } = this.#terminal;
    const screen = this.#serialize(0);
    if (screen.length > MAX_PICTURE_BYTES) return this.#withoutColours();
    const above = Math.min(SHARED_SCROLLBACK_LINES, Math.floor(MAX_PICTURE_CELLS / cols) - rows);
    const whole = this.#serialize(above);
    return whole.length > MAX_PICTURE_BYTES ? screen : whole;
  }

  #serialize(scrollback: number): Buffer<ArrayBuffer> {
    return Buffer.from(RESET + this.#serializer.serialize({ scrollback }));
  }

  /**
   * Returns plain text only, with as many of the last lines as fit: for a screen on which every cell has a different
   * style.
   */
  #withoutColours(): Buffer<ArrayBuffer> {
    const { buffer, rows } = this.#terminal;
    const { baseY, cursorX, cursorY } = buffer.active;
    const line = (row: number) => buffer.active.getLine(baseY + row)?.translateToString(true) ?? '';
    const cursor = `\x1b[${cursorY + 1};${cursorX + 1}H`;
    let picture = cursor;
    for (let row = rows - 1; row >= 0; row--) {
      const longer = `\x1b[${row + 1}H${line(row)}${picture}`;
      if (Buffer.byteLength(RESET + longer) > MAX_PICTURE_BYTES) break;
      picture = longer;
    }
    return Buffer.from(RESET + picture);
  }
}
