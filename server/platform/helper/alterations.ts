import type { Clock } from '../clock.ts';

/** Between attempts to reach a helper that is away. */
const RETRY_MS = 250;
/** An answer after so long, so that a wait never looks like a helper that hangs. */
const ANSWER_WITHIN_MS = 60_000;

/** Remembers that something was altered until it is asked for. */
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

  /** True as soon as something was altered since it was last asked for, false after a while. */
  async altered(): Promise<boolean> {
    if (!this.#altered) await this.#clock.sleep(ANSWER_WITHIN_MS, this.#wake.signal).catch(() => {});
    const altered = this.#altered;
    this.#altered = false;
    return altered;
  }
}

export interface AlterationsOptions {
  clock: Clock;
  /** Ends it. */
  signal: AbortSignal;
  /** Asks the helper, as {@link Alterations.altered} answers. */
  ask(): Promise<unknown>;
  /** Resolves where the helper can be reached again. */
  reach(): Promise<unknown>;
  listener(): void;
}

/**
 * The other side of {@link Alterations}: asks a helper again and again, and calls `listener` for each alteration, and whenever
 * the helper is back after it was away, as what happened meanwhile went unseen.
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
