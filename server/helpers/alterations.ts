import type { Clock } from '../platform/clock.ts';

/** Pause between attempts to reach a helper that is away. */
const RETRY_MS = 250;
/** A wait is answered within this time, so that it never looks like a helper that hangs. */
const ANSWER_WITHIN_MS = 60_000;

/** Remembers that something was altered until the next query. */
export class Alterations {
  readonly #clock: Clock;
  #altered = false;
  #wake = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(): void {
    this.#altered = true;
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Resolves to true as soon as something has been altered since the last query, or to false after a while. */
  async altered(): Promise<boolean> {
    if (!this.#altered) await this.#clock.sleep(ANSWER_WITHIN_MS, this.#wake.signal).catch(() => {});
    const altered = this.#altered;
    this.#altered = false;
    return altered;
  }
}

export interface AlterationsOptions {
  clock: Clock;
  /** Stops following. */
  signal: AbortSignal;
  /** Queries the helper, which answers as {@link Alterations.altered} does. */
  ask(): Promise<unknown>;
  /** Resolves once the helper is reachable again. */
  reach(): Promise<unknown>;
  listener(): void;
}

/**
 * The client side of {@link Alterations}: queries a helper in a loop and calls `listener` for each alteration. Also
 * calls it when the helper is back after an outage, because alterations in the meantime went unseen.
 */
export async function followAlterations(options: AlterationsOptions): Promise<void> {
  const { clock, signal, ask, reach, listener } = options;
  const isBack = () =>
    reach().then(
      () => true,
      () => false,
    );
  while (!signal.aborted) {
    try {
      if (await ask()) listener();
    } catch {
      do await clock.sleep(RETRY_MS, signal).catch(() => {});
      while (!signal.aborted && !(await isBack()));
      if (!signal.aborted) listener();
    }
  }
}
