import type { MessagePort } from 'node:worker_threads';

/** What the driver tells the thread that keeps the screens; `id` is a screen's. */
export type Order =
  | { order: 'open'; id: number; name: string; kind: ScreenKind }
  /** `past`: what was written before there was a viewer, to which the terminal gives no answers any more. */
  | { order: 'write'; id: number; bytes: Uint8Array<ArrayBuffer>; past: boolean }
  /** A graphical screen has connections to the SPICE server of its guest, at the other ends of the ports. */
  | { order: 'attach'; id: number; main: MessagePort; display: MessagePort; inputs: MessagePort }
  /** A viewer, who speaks RFB at the other end of the port. */
  | { order: 'view'; id: number; port: MessagePort }
  | { order: 'close'; id: number };

/** What a screen shows: a terminal, or what a graphics card does. */
export type ScreenKind = 'text' | 'graphics';

/** What the thread reports. */
export type Answer =
  /** One `write` is on the screen, and the next is welcome. */
  | { answer: 'written'; id: number; length: number }
  /** What a viewer has typed, or the terminal itself answers. */
  | { answer: 'typed'; id: number; text: string }
  /** The guest shows what cannot be shown here. */
  | { answer: 'refused'; id: number; reason: string };
