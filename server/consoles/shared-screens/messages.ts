import type { TerminalSize } from '../terminal.ts';

/** Requests of the service to the thread that keeps the screens; `id` identifies a screen. */
export type Order =
  | ({ order: 'open'; id: number } & TerminalSize)
  | { order: 'write'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | ({ order: 'resize'; id: number } & TerminalSize)
  | { order: 'draw'; id: number }
  | { order: 'close'; id: number }
  /** Checks that the thread responds. */
  | { order: 'ping' };

/** The thread's answers, in the order of the requests. */
export type Answer =
  /** One `write` has reached the screen. */
  | { answer: 'written'; id: number }
  /** The answer to one `draw`: output that reproduces the screen on a terminal of its size. */
  | { answer: 'picture'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { answer: 'pong' };
