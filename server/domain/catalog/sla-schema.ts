import { type Static, Type } from '../../platform/schema.ts';
import { parseMicros } from '../billing/money.ts';
import type { CatalogFault } from './catalog-rules.ts';

const SlaCredit = Type.Object(
  {
    uptime_below: Type.String({
      pattern: '^[0-9]{1,3}(\\.[0-9]{1,6})?$',
      description: 'Share of a paid month in percent, such as "99.9"',
    }),
    percent: Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Share of the monthly price that is credited for a month with less uptime',
    }),
  },
  { additionalProperties: false },
);

export const SlaSchema = Type.Object(
  {
    credits: Type.Array(SlaCredit, {
      minItems: 1,
      maxItems: 10,
      description:
        'From the highest uptime to the lowest; for a month below several of them, the last one applies',
    }),
    lost_hosts: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'True to credit the time in which the host of a VM could not be reached automatically, once it is reachable again',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Credits for outages, made by `vaubanctl adjustment sla` or automatically',
  },
);

export type SlaCredit = Static<typeof SlaCredit>;

const WHOLE = parseMicros('100');

/** Uptimes must fall and percentages must rise, so that a longer outage never credits less. */
export function* slaFaults(credits: SlaCredit[] = []): Generator<CatalogFault> {
  for (const [index, { uptime_below, percent }] of credits.entries()) {
    const fault = (key: keyof SlaCredit, reason: string) => ({
      path: ['sla', 'credits', index, key],
      reason,
    });
    const uptime = parseMicros(uptime_below);
    if (uptime === 0n || uptime > WHOLE)
      yield fault('uptime_below', 'must be more than 0 and at most 100 percent');
    const before = credits[index - 1];
    if (!before) continue;
    if (uptime >= parseMicros(before.uptime_below))
      yield fault('uptime_below', `must be less than that of the previous one, ${before.uptime_below}`);
    if (percent <= before.percent)
      yield fault('percent', `must be more than that of the previous one, ${before.percent}`);
  }
}
