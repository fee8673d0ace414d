/** Traffic in packets and bits a second. */
export interface Rate {
  pps: number;
  bps: number;
}

/** Weight of the newest second in a baseline, however often is looked: half of it is the last three seconds. */
const ALPHA = 0.2;
/** Traffic above so many times the usual is suspicious; above twice that is acted on without a second look. */
const FACTOR = 5;
const TRIP_FACTOR = 2;
/** Looks above the threshold, one after the other, that make an attack. */
const CONFIRMATIONS = 2;
/**
 * What is usual grows no faster than this: attacks that begin slowly grow faster, and would pass for the usual. Up to
 * where it decides the threshold it may grow at will.
 */
const DOUBLES_IN_SECONDS = 600;
/** Quiet is less than this share of the threshold… */
const QUIET_SHARE = 0.5;
/** …for so long. */
export const QUIET_MS = 60_000;

/** Nothing is learnt from so long before something unusual: an attack may have begun in the midst of it. */
const LEARN_AFTER_MS = 4_000;
/** Of a target that was never seen before, the least of so long is taken for the usual. */
const NEW_MS = 10_000;

/**
 * Never an attack below this, however little is usual: what a machine may receive without anybody minding. The
 * two figures say the same of packets of full size.
 */
export const FLOOR: Rate = { pps: 40_000, bps: 500_000_000 };

/** Of several targets that are attacked together each one may have this share of what one may have by itself. */
const TOGETHER_SHARE = 0.01;

/** How a look at a target ended: `suspect` wants a closer one, `ended` was an attack until now. */
export type Look = 'quiet' | 'suspect' | 'attack' | 'ended';

/**
 * What is usual for a target, and whether what comes in is far from it. Knows nothing of where figures come from:
 * the same for every edge, and for a test that feeds it a month.
 */
export class Watch {
  #baseline: Rate | undefined;
  /** The latest looks, not learnt yet. */
  #unlearnt: { rate: Rate; seconds: number; at: number }[] = [];
  /** Until when it is new, epoch milliseconds; undefined before the first look. */
  #newUntil: number | undefined;
  #lookedAt: Date | undefined;
  #looksOver = 0;
  #isAttack: boolean;
  #isTogether = false;
  #fixed: Partial<Rate> = {};
  #lastQuiet: Date | undefined;
  #quietSince: Date | undefined;

  /** Goes on with a baseline, and with an attack, that was known before a restart. */
  constructor(baseline?: Rate, isAttack = false) {
    this.#baseline = baseline;
    this.#isAttack = isAttack;
    if (baseline) this.#newUntil = 0;
  }

  get baseline(): Rate | undefined {
    return this.#baseline;
  }

  /** Whether it was first seen so lately that what is usual for it is a guess, not worth to be kept. */
  get isNew(): boolean {
    return (this.#newUntil ?? Infinity) > (this.#lookedAt?.getTime() ?? 0);
  }

  /** Whether it is attacked, as far as was seen so far. */
  get isAttack(): boolean {
    return this.#isAttack;
  }

  /** The last instant at which nothing was unusual: when an attack that was found now began. */
  get lastQuiet(): Date | undefined {
    return this.#lastQuiet;
  }

  /** Since when an attack has been over, as far as can be seen. */
  get quietSince(): Date | undefined {
    return this.#quietSince;
  }

  /** A threshold that the operator has set, in place of what is learnt. */
  set fixed(fixed: Partial<Rate>) {
    this.#fixed = fixed;
  }

  get threshold(): Rate {
    return this.#isTogether ? this.togetherThreshold : this.ownThreshold;
  }

  /** What is an attack on this target by itself. */
  get ownThreshold(): Rate {
    const { pps, bps } = this.#usualThreshold(FLOOR);
    // What a new target was first seen with may be an attack, and must not pass for the usual.
    const most = this.isNew ? TRIP_FACTOR : Infinity;
    return { pps: Math.min(pps, most * FLOOR.pps), bps: Math.min(bps, most * FLOOR.bps), ...this.#fixed };
  }

  /** Never an attack below this, if the target is attacked by itself. */
  get floor(): Rate {
    return { ...FLOOR, ...this.#fixed };
  }

  /** What is unusual for this target, although it would be no attack if others did not have the same. */
  get togetherThreshold(): Rate {
    const { pps, bps } = this.floor;
    return this.#usualThreshold({ pps: TOGETHER_SHARE * pps, bps: TOGETHER_SHARE * bps });
  }

  /** Whether it is attacked as one of several. */
  get isTogether(): boolean {
    return this.#isTogether;
  }

  #usualThreshold(floor: Rate): Rate {
    const { pps, bps } = this.#baseline ?? { pps: 0, bps: 0 };
    return { pps: Math.max(floor.pps, FACTOR * pps), bps: Math.max(floor.bps, FACTOR * bps) };
  }

  /** How many times the threshold a rate is. */
  level(rate: Rate): number {
    return timesOf(rate, this.threshold);
  }

  /**
   * Takes what came in during the time that ended at `at`. Nothing is learnt from what is unusual. `together`: as much comes
   * in to it and to others that it is an attack on all of them.
   */
  look(rate: Rate, at: Date, together = false): Look {
    // An attack on several remains one until it is over.
    this.#isTogether = together || (this.#isAttack && this.#isTogether);
    const level = this.level(rate);
    const seconds = this.#lookedAt ? (at.getTime() - this.#lookedAt.getTime()) / 1000 : 1;
    this.#lookedAt = at;
    this.#newUntil ??= at.getTime() + NEW_MS;
    if (this.#isAttack) return this.#watchAttack(level, at);
    // Of a target that was never seen before, busy first looks are taken for the usual ones.
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

  /** Takes a quiet look to what is usual, once nothing unusual has followed it. */
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

/** How many times a threshold a rate is, by what it exceeds most. */
export function timesOf({ pps, bps }: Rate, threshold: Rate): number {
  return Math.max(pps / threshold.pps, bps / threshold.bps);
}
