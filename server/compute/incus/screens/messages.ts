import type { MessagePort } from 'node:worker_threads';

/** What the driver tells the thread that keeps the screens; `id` is a screen's. */
export type Order =
  | { order: 'open'; id: number; name: string }
  /** `past`: what was written before there was a viewer, to which the terminal gives no answers any more. */
  | { order: 'write'; id: number; bytes: Uint8Array<ArrayBuffer>; past: boolean }
  /** A viewer, who speaks RFB at the other end of the port. */
  | { order: 'view'; id: number; port: MessagePort }
  | { order: 'close'; id: number };

/** What the thread reports. */
export type Answer =
  /** One `write` is on the screen, and the next is welcome. */
  | { answer: 'written'; id: number; length: number }
  /** What a viewer has typed, or the terminal itself answers. */
  | { answer: 'typed'; id: number; text: string };
