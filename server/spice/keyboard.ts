import type { Inputs } from './inputs.ts';
import { type Stroke, strokeOf } from './scan-codes.ts';

const LEFT_SHIFT = { code: 0x2a, isExtended: false };
/** Shift, left and right. */
const SHIFTS = [0xffe1, 0xffe2];
const isLetter = (keysym: number) => /^[a-z]$/i.test(String.fromCharCode(keysym));

/** A viewer's keyboard: key events in, what an American keyboard of the machine would do out. */
export class Keyboard {
  /** What is held down, by its keysym. */
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

  /** Lets up what is held, as its viewer has gone. */
  release(inputs: Inputs | undefined): void {
    for (const stroke of this.#held.values()) inputs?.key(stroke, false);
    this.#held.clear();
  }

  /** With Shift as the character needs it, which is otherwise where the viewer has another keyboard, or sends characters alone. */
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
