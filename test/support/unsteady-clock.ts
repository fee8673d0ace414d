import { ManualClock } from '../../server/platform/clock.ts';

/**
 * A clock that can be set back, as an operator or a time server may do, or like the clock of a node that lags behind.
 */
export class UnsteadyClock extends ManualClock {
  #behind = 0;

  override now(): Date {
    return new Date(super.now().getTime() - this.#behind);
  }

  putBack(ms: number): void {
    this.#behind += ms;
  }
}
