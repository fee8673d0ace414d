import xterm from '@xterm/headless';

/**
 * Characters that combine with the previous one without occupying a cell, and those that may stand between two of
 * them.
 */
const JOINING = '[\\p{M}\\p{Cf}\\u1160-\\u11ff\\x7f]';
/** Maximum number of combining characters on one character; no script needs more. */
const MAX_JOINED = 8;
const JOINED = new RegExp(`${JOINING}{${MAX_JOINED + 1},}`, 'gu');
const JOINED_AT_START = new RegExp(`^${JOINING}+`, 'u');
const JOINED_AT_END = new RegExp(`${JOINING}+$`, 'u');
/** The number of the sequence that turns text into a link. It is stored for each cell and can be 10 MB long. */
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
  /** Combining characters at the end of the previous write. */
  #joined = 0;

  constructor(shape: TerminalShape) {
    this.terminal = new xterm.Terminal({ ...shape, allowProposedApi: true });
    this.terminal.parser.registerOscHandler(HYPERLINK, () => true);
  }

  /** Writes UTF-8, of which a character may be split between two pieces. Calls `done` once it is on the screen. */
  write(bytes: Uint8Array, done: () => void): void {
    this.terminal.write(this.#bounded(this.#decoder.decode(bytes, { stream: true })), done);
  }

  close(): void {
    this.terminal.dispose();
  }

  /** Removes combining characters beyond what any script needs in one cell. */
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
