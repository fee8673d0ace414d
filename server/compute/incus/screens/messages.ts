import type { MessagePort } from 'node:worker_threads';

/** A message from the driver to the thread that keeps the screens; `id` identifies the screen. */
export type Order =
  | { order: 'open'; id: number; name: string; kind: ScreenKind }
  /** `past` marks output from before there was a viewer. The terminal must not answer its queries any longer. */
  | { order: 'write'; id: number; bytes: Uint8Array<ArrayBuffer>; past: boolean }
  /** The ports lead to the connections of a graphical screen to its guest's SPICE server. */
  | { order: 'attach'; id: number; main: MessagePort; display: MessagePort; inputs: MessagePort }
  /** The port leads to a viewer, which speaks RFB. */
  | { order: 'view'; id: number; port: MessagePort }
  | { order: 'close'; id: number };

/** A terminal, or the picture of a graphics card. */
export type ScreenKind = 'text' | 'graphics';

/** A message from the thread to the driver. */
export type Answer =
  /** One `write` is on the screen; the driver may send more. */
  | { answer: 'written'; id: number; length: number }
  /** Text that a viewer typed or that the terminal itself answered. */
  | { answer: 'typed'; id: number; text: string }
  /** The guest uses something that this screen cannot show. */
  | { answer: 'refused'; id: number; reason: string };
