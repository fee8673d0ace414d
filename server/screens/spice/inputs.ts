import type { Size } from '../rfb/screen.ts';
import type { Channel, Message } from './channel.ts';
import { INPUTS, MOUSE_MODE, TO_INPUTS } from './protocol.ts';
import type { ScanCode } from './scan-codes.ts';

/**
 * Maximum number of unacknowledged movements. The server acknowledges four at a time; of movements that arrive in the
 * meantime, only the last one counts.
 */
const MAX_MOVES = 8;
const ACKNOWLEDGED = 4;
/**
 * RFB's buttons by bit: left, middle, right, and the wheel up and down. SPICE counts them from 1 in the same order.
 */
const BUTTONS = 5;
const CAPS_LOCK = 4;
/** Prefix of an extended key's code; the code of a released key has the highest bit set. */
const EXTENDED = 0xe0;
const UP = 0x80;

interface Pointer {
  x: number;
  y: number;
}

export class Inputs {
  readonly #channel: Channel;
  readonly #screen: { size: Size };
  #mode: number = MOUSE_MODE.server;
  /** Unacknowledged movements. */
  #moves = 0;
  #pointer: Pointer = { x: 0, y: 0 };
  #buttons = 0;
  /** The pointer's position, as last sent to the machine. */
  #told: Pointer = this.#pointer;
  #isCapsLock = false;

  constructor(channel: Channel, screen: { size: Size }) {
    this.#channel = channel;
    this.#screen = screen;
  }

  /** True if the machine's Caps Lock is on. */
  get isCapsLock(): boolean {
    return this.#isCapsLock;
  }

  /** Sets how the pointer is moved, one of `MOUSE_MODE`. */
  mode(mode: number): void {
    this.#mode = mode;
  }

  hear({ type, body }: Message): void {
    if (type === INPUTS.init || type === INPUTS.modifiers)
      this.#isCapsLock = (body.readUInt16LE(0) & CAPS_LOCK) !== 0;
    else if (type === INPUTS.motionAck) {
      this.#moves = Math.max(0, this.#moves - ACKNOWLEDGED);
      this.#move(this.#buttons);
    }
  }

  key({ code, isExtended }: ScanCode, isDown: boolean): void {
    const last = isDown ? code : code | UP;
    const body = Buffer.alloc(4);
    body.set(isExtended ? [EXTENDED, last] : [last]);
    this.#channel.send(isDown ? TO_INPUTS.keyDown : TO_INPUTS.keyUp, body);
  }

  /** Moves the pointer of a viewer, with its buttons in RFB's numbering. */
  point(x: number, y: number, buttons: number): void {
    const { width, height } = this.#screen.size;
    const before = this.#buttons;
    this.#pointer = { x: Math.min(x, width - 1), y: Math.min(y, height - 1) };
    this.#buttons = buttons;
    // A button is pressed at the pointer's position, so the pointer moves there first, however many movements are
    // unacknowledged.
    this.#move(before, buttons !== before);
    for (let at = 0; at < BUTTONS; at++) {
      const bit = 1 << at;
      if ((buttons & bit) === (before & bit)) continue;
      const body = Buffer.alloc(3);
      body[0] = at + 1;
      body.writeUInt16LE(buttons & (2 ** BUTTONS - 1), 1);
      this.#channel.send(buttons & bit ? TO_INPUTS.press : TO_INPUTS.release, body);
    }
  }

  #move(buttons: number, isUrgent = false): void {
    const { x, y } = this.#pointer;
    const told = this.#told;
    if ((x === told.x && y === told.y) || (this.#moves >= MAX_MOVES && !isUrgent)) return;
    this.#told = this.#pointer;
    this.#moves++;
    // The pressed buttons; the wheel is not one.
    const held = buttons & 7;
    if (this.#mode === MOUSE_MODE.client) {
      const body = Buffer.alloc(11);
      body.writeUInt32LE(x, 0);
      body.writeUInt32LE(y, 4);
      body.writeUInt16LE(held, 8);
      this.#channel.send(TO_INPUTS.position, body);
    } else {
      const body = Buffer.alloc(10);
      body.writeInt32LE(x - told.x, 0);
      body.writeInt32LE(y - told.y, 4);
      body.writeUInt16LE(held, 8);
      this.#channel.send(TO_INPUTS.motion, body);
    }
  }
}
