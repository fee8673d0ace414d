import type { SlaMonth } from '../../../db/queries/hosts/outages.ts';
import type { SlaCredit } from '../../catalog/sla-schema.ts';
import { divideRoundHalfUp, max, min, parseMicros } from '../money.ts';

const WHOLE = parseMicros('100');

/** Returns the share of a month's price, in percent, that the rule credits; 0 if its uptime was sufficient. */
export function slaPercent(
  rule: SlaCredit[],
  { served_ms, down_ms }: Pick<SlaMonth, 'served_ms' | 'down_ms'>,
): number {
  const up = (served_ms - down_ms) * WHOLE;
  return rule.findLast(({ uptime_below }) => up < parseMicros(uptime_below) * served_ms)?.percent ?? 0;
}

/**
 * Returns the credit due for a month: by its total downtime, minus earlier credits for outages, and never more than the
 * remainder of the price paid for it.
 */
export function slaCreditOf(rule: SlaCredit[], month: SlaMonth): bigint {
  const due = divideRoundHalfUp(month.price_minor * BigInt(slaPercent(rule, month)), 100n);
  return max(0n, min(due - month.credited_minor, month.net_minor));
}
