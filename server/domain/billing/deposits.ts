import { withheld } from './adjustments/refundable.ts';
import { type Charge, type ChargeLine, charge, depositAt, hoursAt, lineOf, monthAt } from './charge-line.ts';
import { type RunningPeriod, startedHours, type Used, usedOf } from './metering.ts';
import { divideRoundHalfUp, max, min } from './money.ts';
import { restAt } from './period.ts';
import type { Configuration } from './pricing.ts';

/** Whether a deposit is held for the period, rather than it was sold in advance or is billed by the month. */
export function isHeld(period: RunningPeriod): boolean {
  return period.metering != null && period.deposit != null;
}

/** What a period with a deposit comes to at an instant: its deposit is released, and what was used of it is sold. */
interface Settled {
  lines: ChargeLine[];
  /** What rounding leaves uncharged of the usage, in parts of {@link Used}. */
  remainder: bigint;
  used: Used;
}

/**
 * Settles the use of a period until `now`: the exact price of the time since the last change, together with what earlier
 * changes have left over, is rounded once, half up, and never more than the deposit. So a period comes to the price of its
 * hours and changes to the unit, and no part of a month is cheaper for having been changed.
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
  // A clock that was set back has served nothing.
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

/** The usage until a change, sold to the second, and what the rest of the period may still cost. */
export interface HeldChange {
  lines: ChargeLine[];
  /** The deposit for the rest of the period. */
  deposit: bigint;
  remainder: bigint;
}

/**
 * Changes to a month of `priceMinor` minor units at `now`: the deposit that was held is released, the time until then is
 * sold, and a deposit for the rest is due, of the most that it can cost. `fresh` makes its line.
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
  // What must not be released is owed to the period, as if rounding had charged it.
  return { lines: kept.lines, deposit, remainder: remainder - amount * used.parts };
}

/**
 * A period gives back no more than its limits let it: what is above them is sold, as use that a correction has paid for already,
 * or as traffic that was sent before its time.
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
