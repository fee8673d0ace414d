import type { Size } from '../rfb/screen.ts';
import type { Channel, Message } from './channel.ts';
import { INPUTS, MOUSE_MODE, TO_INPUTS } from './protocol.ts';
import type { ScanCode } from './scan-codes.ts';

/** Movements that the server has not acknowledged, which it does four by four; of those that come meanwhile the last one counts. */
const MAX_MOVES = 8;
const ACKNOWLEDGED = 4;
/** RFB's buttons, by their bits: left, middle, right, and the wheel up and down. SPICE counts them from 1 in the same order. */
const BUTTONS = 5;
const CAPS_LOCK = 4;
/** What E0 is before a key's code; a key that is let up has the highest bit of its code. */
const EXTENDED = 0xe0;
const UP = 0x80;

interface Pointer {
  x: number;
  y: number;
}

/** Keyboard and mouse of a machine. */
export class Inputs {
  readonly #channel: Channel;
  readonly #screen: { size: Size };
  #mode: number = MOUSE_MODE.server;
  /** Movements that are on their way. */
  #moves = 0;
  #pointer: Pointer = { x: 0, y: 0 };
  #buttons = 0;
  /** Where the machine has been told that the pointer is. */
  #told: Pointer = this.#pointer;
  #isCapsLock = false;

  constructor(channel: Channel, screen: { size: Size }) {
    this.#channel = channel;
    this.#screen = screen;
  }

  /** Whether letters are capitals by themselves, as the machine's keyboard shows. */
  get isCapsLock(): boolean {
    return this.#isCapsLock;
  }

  /** How the pointer is moved, one of `MOUSE_MODE`. */
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

  /** The pointer of a viewer, with its buttons as RFB has them. */
  point(x: number, y: number, buttons: number): void {
    const { width, height } = this.#screen.size;
    const before = this.#buttons;
    this.#pointer = { x: Math.min(x, width - 1), y: Math.min(y, height - 1) };
    this.#buttons = buttons;
    // A button is pressed where the pointer is, however many movements are on their way: after it has moved there.
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
    // The buttons that are held; wheels are none.
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
