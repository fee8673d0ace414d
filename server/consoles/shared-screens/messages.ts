import type { TerminalSize } from '../terminal.ts';

/** What the service tells the thread that keeps the screens; `id` is a screen's. */
export type Order =
  | ({ order: 'open'; id: number } & TerminalSize)
  | { order: 'write'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | ({ order: 'resize'; id: number } & TerminalSize)
  | { order: 'draw'; id: number }
  | { order: 'close'; id: number }
  /** Asks whether the thread is there. */
  | { order: 'ping' };

/** The thread's answers, in the order of the requests. */
export type Answer =
  /** One `write` is on the screen. */
  | { answer: 'written'; id: number }
  /** To one `draw`: what makes a terminal of the screen's size show the same. */
  | { answer: 'picture'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { answer: 'pong' };
