import { ManualClock } from '../../server/platform/clock.ts';

/** A clock that may be put back, as an operator or a time server does it, or as another node's may be behind. */
export class UnsteadyClock extends ManualClock {
  #behind = 0;

  override now(): Date {
    return new Date(super.now().getTime() - this.#behind);
  }

  putBack(ms: number): void {
    this.#behind += ms;
  }
}
