import type { Inputs } from './inputs.ts';
import { type Stroke, strokeOf } from './scan-codes.ts';

const LEFT_SHIFT = { code: 0x2a, isExtended: false };
/** Shift, left and right. */
const SHIFTS = [0xffe1, 0xffe2];
const isLetter = (keysym: number) => /^[a-z]$/i.test(String.fromCharCode(keysym));

/** A viewer's keyboard: converts key events to those of an American keyboard of the machine. */
export class Keyboard {
  /** Pressed keys, by keysym. */
  readonly #held = new Map<number, Stroke>();

  press(keysym: number, isDown: boolean, inputs: Inputs): void {
    const stroke = this.#held.get(keysym) ?? strokeOf(keysym);
    if (!stroke) return;
    if (!isDown) {
      if (this.#held.delete(keysym)) inputs.key(stroke, false);
      return;
    }
    this.#held.set(keysym, stroke);
    this.#withShift(keysym, stroke, inputs, () => inputs.key(stroke, true));
  }

  /** Releases the pressed keys, because the viewer has left. */
  release(inputs: Inputs | undefined): void {
    for (const stroke of this.#held.values()) inputs?.key(stroke, false);
    this.#held.clear();
  }

  /**
   * Presses a key with the Shift state that the character needs on an American keyboard. The viewer's own state
   * differs if the viewer has a different layout or sends characters only.
   */
  #withShift(keysym: number, { isShifted }: Stroke, inputs: Inputs, press: () => void): void {
    const held = SHIFTS.map((shift) => this.#held.get(shift)).filter((shift) => shift !== undefined);
    const isWanted = isShifted !== (inputs.isCapsLock && isLetter(keysym));
    const isRight = isShifted === undefined || isWanted === held.length > 0;
    const moved = isRight ? [] : isWanted ? [LEFT_SHIFT] : held;
    for (const shift of moved) inputs.key(shift, isWanted);
    press();
    for (const shift of moved) inputs.key(shift, !isWanted);
  }
}
