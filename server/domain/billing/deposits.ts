import { withheld } from './adjustments/refundable.ts';
import { type Charge, type ChargeLine, charge, depositAt, hoursAt, lineOf, monthAt } from './charge-line.ts';
import { type RunningPeriod, startedHours, type Used, usedOf } from './metering.ts';
import { divideRoundHalfUp, max, min } from './money.ts';
import { restAt } from './period.ts';
import type { Configuration } from './pricing.ts';

/** Returns whether a deposit is held for the period, as opposed to a sale in advance or monthly billing. */
export function isHeld(period: RunningPeriod): boolean {
  return period.metering != null && period.deposit != null;
}

/** The result of settling a period with a deposit: the deposit is released, and the usage is sold. */
interface Settled {
  lines: ChargeLine[];
  /** The part of the usage that rounding left uncharged, in parts of {@link Used}. */
  remainder: bigint;
  used: Used;
}

/**
 * Settles the usage of a period until `now`. The exact price of the time since the last change, plus what earlier
 * changes left over, is rounded once, half up, and capped at the deposit. So a period costs the exact price of its
 * hours and changes, to the minor unit, and changes never make a part of a month cheaper.
 */
function settle(
  { name, price_monthly_minor: price }: Configuration,
  period: RunningPeriod,
  now: Date,
  until: 'now' | 'end_of_hour',
): Settled {
  const { terms } = period;
  const metering = period.metering!;
  const deposit = period.deposit!;
  const used = usedOf(price, period, now, until);
  const open = used.used + period.remainder;
  const amount = min(max(divideRoundHalfUp(open, used.parts), 0n), deposit);
  const held = restAt(period, metering.since);
  const rest = restAt(period, now);
  // If a clock was set back, no time was served.
  const served = { startAt: held.startAt, endAt: rest.startAt > held.startAt ? rest.startAt : held.startAt };
  const isPart = held.startAt > period.startAt;
  const release = depositAt(`Released deposit for ${name}`, price, terms);
  const count = Number(startedHours(served.startAt, served.endAt));
  const whole = `${name}, ${count} ${count === 1 ? 'hour' : 'hours'}`;
  const unit =
    until === 'now'
      ? hoursAt(`Used time on ${name}`, metering, terms)
      : hoursAt(whole, metering, terms, count);
  const lines = [
    lineOf(release, -deposit, terms, held, isPart),
    lineOf(unit, amount, terms, served, until === 'now'),
  ];
  return { lines, remainder: open - amount * used.parts, used };
}

/**
 * Gives up a period that has a deposit, or ends it: the hours that have begun are sold, and the rest of the deposit is
 * released. At its end the whole month was used, and nothing is left.
 */
export function releaseCharge(from: Configuration, period: RunningPeriod, now: Date): Charge {
  return keep(charge(settle(from, period, now, 'end_of_hour').lines), period).charge;
}

/** The usage until a change, sold to the second, and the deposit for the most that the rest of the period can cost. */
export interface HeldChange {
  lines: ChargeLine[];
  /** The deposit for the rest of the period. */
  deposit: bigint;
  remainder: bigint;
}

/**
 * Changes a period with a deposit to a monthly price of `priceMinor` minor units at `now`: the old deposit is released,
 * the time until now is sold, and a deposit for the most that the rest can cost is due. `fresh` makes the line of that
 * deposit.
 */
export function changeDeposit(
  from: Configuration,
  priceMinor: bigint,
  period: RunningPeriod,
  now: Date,
  fresh: (deposit: bigint) => ChargeLine,
): HeldChange {
  const { lines, remainder, used } = settle(from, period, now, 'now');
  const rest = usedOf(priceMinor, { ...period, metering: { ...period.metering!, since: now } }, now, 'now');
  const deposit = max(divideRoundHalfUp(rest.paid + remainder, used.parts), 0n);
  const total = charge([...lines, fresh(deposit)]);
  const { charge: kept, amount } = keep(charge(lines), period, total);
  // The amount that must not be released counts in the remainder, as if rounding had overcharged by that much.
  return { lines: kept.lines, deposit, remainder: remainder - amount * used.parts };
}

/**
 * A refund for a period is capped at its limits: the amount above them is sold, as usage that a correction has already
 * paid for, or as traffic sent ahead of time.
 */
function keep(settled: Charge, period: RunningPeriod, total = settled) {
  const { terms, refundable } = period;
  const amount = withheld(total, period);
  if (amount === 0n) return { charge: settled, amount };
  const { from_at: startAt, to_at: endAt } = settled.lines[0]!;
  const isCredited = amount === withheld(total, { refundable });
  const description = isCredited ? 'Use that was credited before' : 'Traffic used ahead of time';
  const unit = { ...monthAt(description, amount, terms), unit: 'adjustment' as const };
  const line = lineOf(unit, amount, terms, { startAt, endAt }, false);
  return { charge: charge([...settled.lines, line]), amount };
}
