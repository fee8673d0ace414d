import xterm from '@xterm/headless';

/** What joins the character before it and takes no place of its own, and what may stand between two of them. */
const JOINING = '[\\p{M}\\p{Cf}\\u1160-\\u11ff\\x7f]';
/** The most that one character is joined by; what is written with more is no script. */
const MAX_JOINED = 8;
const JOINED = new RegExp(`${JOINING}{${MAX_JOINED + 1},}`, 'gu');
const JOINED_AT_START = new RegExp(`^${JOINING}+`, 'u');
const JOINED_AT_END = new RegExp(`${JOINING}+$`, 'u');
/** The number of the sequence that makes text a link: kept for each cell, and up to 10 MB long. */
const HYPERLINK = 8;

export interface TerminalShape {
  cols: number;
  rows: number;
  /** Lines kept above the screen. */
  scrollback: number;
}

/** A terminal emulator whose memory is bounded by its shape, whatever a stranger writes to it. */
export class BoundedTerminal {
  readonly terminal: xterm.Terminal;
  readonly #decoder = new TextDecoder();
  /** Joining characters at the end of what was written last. */
  #joined = 0;

  constructor(shape: TerminalShape) {
    this.terminal = new xterm.Terminal({ ...shape, allowProposedApi: true });
    this.terminal.parser.registerOscHandler(HYPERLINK, () => true);
  }

  /** Writes UTF-8, of which a character may be cut between two pieces; `done` is called once it is on the screen. */
  write(bytes: Uint8Array, done: () => void): void {
    this.terminal.write(this.#bounded(this.#decoder.decode(bytes, { stream: true })), done);
  }

  close(): void {
    this.terminal.dispose();
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
}
