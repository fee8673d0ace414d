import { type Static, Type } from '../../platform/schema.ts';
import { MAX_PRICE_MINOR, microsToMinor, parseMicros } from '../billing/money.ts';
import type { CatalogFault } from './catalog-rules.ts';
import { Price } from './price-schemas.ts';

export const TopUpSchema = Type.Object(
  {
    min: Type.Optional({ ...Price, description: 'Minimum amount; defaults to 5' }),
    max: Type.Optional({ ...Price, description: 'Maximum amount; defaults to 1000' }),
  },
  { additionalProperties: false, description: 'Minimum and maximum of a top-up by a customer' },
);

const DEFAULT_MIN = '5';
const DEFAULT_MAX = '1000';

interface Sold {
  currency: string;
  top_up?: Static<typeof TopUpSchema>;
}

/** Returns the minimum and maximum of a single top-up by a customer, in minor units. */
export function topUpLimits({ currency, top_up = {} }: Sold): { min: bigint; max: bigint } {
  const minor = (amount: string) => microsToMinor(parseMicros(amount), currency);
  return { min: minor(top_up.min ?? DEFAULT_MIN), max: minor(top_up.max ?? DEFAULT_MAX) };
}

/** A top-up must be greater than zero, and no higher than the highest price. */
export function* topUpFaults(catalog: Sold): Generator<CatalogFault> {
  const { min, max } = topUpLimits(catalog);
  if (min < 1n) yield { path: ['top_up', 'min'], reason: 'must be at least one of the smallest units' };
  if (max < min) yield { path: ['top_up'], reason: 'the maximum is less than the minimum' };
  if (max > MAX_PRICE_MINOR)
    yield { path: ['top_up', 'max'], reason: `must be at most ${MAX_PRICE_MINOR} of the smallest units` };
}
