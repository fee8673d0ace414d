/** Traffic in packets and bits per second. */
export interface Rate {
  pps: number;
  bps: number;
}

/**
 * Weight of the newest second in a baseline, regardless of how often it is updated: the last three seconds make up
 * half of it.
 */
const ALPHA = 0.2;
/** Traffic above this multiple of the baseline is suspicious. Twice this multiple triggers without a second look. */
const FACTOR = 5;
const TRIP_FACTOR = 2;
/** Consecutive looks above the threshold that confirm an attack. */
const CONFIRMATIONS = 2;
/**
 * A baseline doubles no faster than this. Attacks that start slowly grow faster; without this limit they would be
 * learned as normal. Below the point at which the baseline determines the threshold, growth is unlimited.
 */
const DOUBLES_IN_SECONDS = 600;
/** Traffic is quiet below this share of the threshold… */
const QUIET_SHARE = 0.5;
/** …for this long. */
export const QUIET_MS = 60_000;

/** The last seconds before something unusual are not learned: an attack may have started in the middle of them. */
const LEARN_AFTER_MS = 4_000;
/** The lowest traffic during this first period of a newly seen target becomes its baseline. */
const NEW_MS = 10_000;

/**
 * Traffic below this is never an attack, however low the baseline: any machine can handle it. The two figures are
 * equivalent for full-size packets.
 */
export const FLOOR: Rate = { pps: 40_000, bps: 500_000_000 };

/** When several targets are attacked together, each needs only this share of the floor for a single target. */
const TOGETHER_SHARE = 0.01;

/**
 * The result of a look at a target. `suspect` asks for a closer look; `ended` means that an attack has just ended.
 */
export type Look = 'quiet' | 'suspect' | 'attack' | 'ended';

/**
 * Learns a target's normal traffic and detects deviations from it. Independent of where the figures come from, so
 * every edge can use it, and a test can feed it a month of traffic.
 */
export class Watch {
  #baseline: Rate | undefined;
  /** The latest looks, which are not part of the baseline yet. */
  #unlearnt: { rate: Rate; seconds: number; at: number }[] = [];
  /** When the target stops being new, in epoch milliseconds; undefined before the first look. */
  #newUntil: number | undefined;
  #lookedAt: Date | undefined;
  #looksOver = 0;
  #isAttack: boolean;
  #isTogether = false;
  #fixed: Partial<Rate> = {};
  #lastQuiet: Date | undefined;
  #quietSince: Date | undefined;

  /** Resumes from a baseline, and possibly an attack, that was known before a restart. */
  constructor(baseline?: Rate, isAttack = false) {
    this.#baseline = baseline;
    this.#isAttack = isAttack;
    if (baseline) this.#newUntil = 0;
  }

  get baseline(): Rate | undefined {
    return this.#baseline;
  }

  /** True if the target was first seen so recently that its baseline is only a guess, which is not worth saving. */
  get isNew(): boolean {
    return (this.#newUntil ?? Infinity) > (this.#lookedAt?.getTime() ?? 0);
  }

  get isAttack(): boolean {
    return this.#isAttack;
  }

  /** The last moment at which traffic was normal. An attack that is detected now started then. */
  get lastQuiet(): Date | undefined {
    return this.#lastQuiet;
  }

  /** Start of the quiet time at the end of an attack; undefined before it begins. */
  get quietSince(): Date | undefined {
    return this.#quietSince;
  }

  /** Thresholds that the operator has set. They replace the learned ones. */
  set fixed(fixed: Partial<Rate>) {
    this.#fixed = fixed;
  }

  get threshold(): Rate {
    return this.#isTogether ? this.togetherThreshold : this.ownThreshold;
  }

  /** The threshold for an attack on a single target. */
  get ownThreshold(): Rate {
    const { pps, bps } = this.#usualThreshold(FLOOR);
    // The first traffic of a new target may be an attack and must not count as normal.
    const most = this.isNew ? TRIP_FACTOR : Infinity;
    return { pps: Math.min(pps, most * FLOOR.pps), bps: Math.min(bps, most * FLOOR.bps), ...this.#fixed };
  }

  /** The lowest threshold for an attack on a single target. */
  get floor(): Rate {
    return { ...FLOOR, ...this.#fixed };
  }

  /** Traffic above this is unusual for the target, but an attack only if its neighbours see the same. */
  get togetherThreshold(): Rate {
    const { pps, bps } = this.floor;
    return this.#usualThreshold({ pps: TOGETHER_SHARE * pps, bps: TOGETHER_SHARE * bps });
  }

  /** True if the target is being attacked as one of several, see `attackedTogether`. */
  get isTogether(): boolean {
    return this.#isTogether;
  }

  #usualThreshold(floor: Rate): Rate {
    const { pps, bps } = this.#baseline ?? { pps: 0, bps: 0 };
    return { pps: Math.max(floor.pps, FACTOR * pps), bps: Math.max(floor.bps, FACTOR * bps) };
  }

  /** Returns a rate as a multiple of the threshold. */
  level(rate: Rate): number {
    return timesOf(rate, this.threshold);
  }

  /**
   * Evaluates the traffic of the interval that ended at `at`. Unusual traffic is not learned. `together` says that
   * this target and others together receive enough for an attack on all of them.
   */
  look(rate: Rate, at: Date, together = false): Look {
    // An attack on several targets remains one until it ends.
    this.#isTogether = together || (this.#isAttack && this.#isTogether);
    const level = this.level(rate);
    const seconds = this.#lookedAt ? (at.getTime() - this.#lookedAt.getTime()) / 1000 : 1;
    this.#lookedAt = at;
    this.#newUntil ??= at.getTime() + NEW_MS;
    if (this.#isAttack) return this.#watchAttack(level, at);
    // For a target that was never seen before, high traffic in the first looks counts as normal.
    if (level <= (this.#baseline ? 1 : TRIP_FACTOR)) {
      this.#looksOver = 0;
      this.#lastQuiet = at;
      this.#takeIn(rate, seconds, at.getTime());
      return 'quiet';
    }
    this.#looksOver += 1;
    this.#unlearnt = [];
    if (this.#looksOver < CONFIRMATIONS && (together || level <= TRIP_FACTOR)) return 'suspect';
    this.#isAttack = true;
    this.#quietSince = undefined;
    return 'attack';
  }

  #watchAttack(level: number, at: Date): Look {
    if (level >= QUIET_SHARE) {
      this.#quietSince = undefined;
      return 'attack';
    }
    this.#quietSince ??= at;
    if (at.getTime() - this.#quietSince.getTime() < QUIET_MS) return 'attack';
    this.#isAttack = false;
    this.#isTogether = false;
    this.#looksOver = 0;
    return 'ended';
  }

  /** Adds a quiet look to the baseline once nothing unusual has followed it. */
  #takeIn(rate: Rate, seconds: number, at: number): void {
    if (this.isNew) {
      const { pps, bps } = this.#baseline ?? rate;
      this.#baseline = { pps: Math.min(pps, rate.pps), bps: Math.min(bps, rate.bps) };
      return;
    }
    this.#unlearnt.push({ rate, seconds, at });
    while (at - this.#unlearnt[0]!.at >= LEARN_AFTER_MS) {
      const look = this.#unlearnt.shift()!;
      this.#learn(look.rate, look.seconds);
    }
  }

  #learn({ pps, bps }: Rate, seconds: number): void {
    const before = this.#baseline ?? { pps, bps };
    const weight = 1 - (1 - ALPHA) ** seconds;
    const growth = 2 ** (seconds / DOUBLES_IN_SECONDS);
    const next = (usual: number, now: number, floor: number) =>
      Math.min(usual + weight * (now - usual), Math.max(floor / FACTOR, usual * growth));
    const { floor } = this;
    this.#baseline = {
      pps: next(before.pps, pps, floor.pps),
      bps: next(before.bps, bps, floor.bps),
    };
  }
}

/** Returns a rate as a multiple of a threshold, using whichever of packets and bits exceeds its threshold more. */
export function timesOf({ pps, bps }: Rate, threshold: Rate): number {
  return Math.max(pps / threshold.pps, bps / threshold.bps);
}
