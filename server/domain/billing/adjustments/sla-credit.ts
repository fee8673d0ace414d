import type { SlaMonth } from '../../../db/queries/outages.ts';
import type { SlaCredit } from '../../catalog/sla-schema.ts';
import { divideRoundHalfUp, max, min, parseMicros } from '../money.ts';

const WHOLE = parseMicros('100');

/** The share of the price, in percent, that a month is credited by the rule; 0 where it was available enough. */
export function slaPercent(
  rule: SlaCredit[],
  { served_ms, down_ms }: Pick<SlaMonth, 'served_ms' | 'down_ms'>,
): number {
  const up = (served_ms - down_ms) * WHOLE;
  return rule.findLast(({ uptime_below }) => up < parseMicros(uptime_below) * served_ms)?.percent ?? 0;
}

/**
 * What a month is credited now: by all its downtime together, less what it was credited for outages before, and never
 * more than what is left of what was paid for it.
 */
export function slaCreditOf(rule: SlaCredit[], month: SlaMonth): bigint {
  const due = divideRoundHalfUp(month.price_minor * BigInt(slaPercent(rule, month)), 100n);
  return max(0n, min(due - month.credited_minor, month.net_minor));
}
