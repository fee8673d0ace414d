import type { SerializeAddon as Serializer } from '@xterm/addon-serialize';
import serializeAddon from '@xterm/addon-serialize';
import headless, { type ITerminalAddon } from '@xterm/headless';
import { MAX_PICTURE_BYTES, MAX_PICTURE_CELLS, SHARED_SCROLLBACK_LINES } from '../limits.ts';
import type { TerminalSize } from '../terminal.ts';

/** Clears whatever a terminal shows: what follows is the whole screen. */
const RESET = '\x1bc';
/** What joins the character before it and takes no place of its own, and what may stand between two of them. */
const JOINING = '[\\p{M}\\p{Cf}\\u1160-\\u11ff\\x7f]';
/** The most that one character is joined by; what is written with more is no script. */
const MAX_JOINED = 8;
const JOINED = new RegExp(`${JOINING}{${MAX_JOINED + 1},}`, 'gu');
const JOINED_AT_START = new RegExp(`^${JOINING}+`, 'u');
const JOINED_AT_END = new RegExp(`${JOINING}+$`, 'u');
/** The number of the sequence that makes text a link: kept for each cell, and up to 10 MB long. */
const HYPERLINK = 8;

/** The screen of one shared shell, kept as a terminal would keep it. Its memory is bounded whatever is written. */
export class SharedScreen {
  readonly #terminal: headless.Terminal;
  readonly #serializer: Serializer;
  readonly #decoder = new TextDecoder();
  /** Joining characters at the end of what was written last. */
  #joined = 0;

  constructor(size: TerminalSize) {
    const { cols, rows } = size;
    this.#terminal = new headless.Terminal({
      cols,
      rows,
      scrollback: SHARED_SCROLLBACK_LINES,
      allowProposedApi: true,
    });
    this.#serializer = new serializeAddon.SerializeAddon();
    // Its types name the terminal of the browser; of what both have it uses no more.
    this.#terminal.loadAddon(this.#serializer as unknown as ITerminalAddon);
    this.#terminal.parser.registerOscHandler(HYPERLINK, () => true);
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#terminal.write(this.#bounded(this.#decoder.decode(bytes, { stream: true })), done);
  }

  /** Takes effect when all that was written before is on the screen, and so does a picture. */
  resize({ cols, rows }: TerminalSize): void {
    this.#terminal.write('', () => this.#terminal.resize(cols, rows));
  }

  /**
   * The screen and what fits of the lines above it, as bytes for a terminal: at most {@link MAX_PICTURE_BYTES}.
   * `ms` is how long it took.
   */
  draw(done: (picture: Buffer<ArrayBuffer>, ms: number) => void): void {
    this.#terminal.write('', () => {
      const startedAt = performance.now();
      const picture = this.#picture();
      done(picture, performance.now() - startedAt);
    });
  }

  close(): void {
    this.#terminal.dispose();
  }

  /** Without the joining characters of which one cell would be given more than any script needs. */
  #bounded(text: string): string {
    if (text === '') return text;
    const first = JOINED_AT_START.exec(text)?.[0] ?? '';
    const kept = [...first].slice(0, Math.max(0, MAX_JOINED - this.#joined)).join('');
    const rest = text.slice(first.length).replace(JOINED, (run) => [...run].slice(0, MAX_JOINED).join(''));
    const last = [...(JOINED_AT_END.exec(rest)?.[0] ?? '')].length;
    this.#joined = rest === '' ? this.#joined + [...first].length : last;
    return kept + rest;
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

  /** The letters alone, as many of the last lines as there is room for: of a screen on which every cell has a style of its own. */
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
