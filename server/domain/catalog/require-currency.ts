import type { Queryable } from '../../db/database.ts';
import { foreignCurrency } from '../../db/queries/wallets.ts';
import { ConfigError } from '../../platform/config-error.ts';
import type { Catalog } from './catalog-schema.ts';

/**
 * Throws {@link ConfigError} where wallets are in another currency than the catalog: every amount would be taken for as
 * many units of the other.
 */
export async function requireCurrency(db: Queryable, { currency }: Pick<Catalog, 'currency'>): Promise<void> {
  const other = await foreignCurrency(db, currency);
  if (other)
    throw new ConfigError([
      `catalog: sells in ${currency}, but the wallets are in ${other}: one installation has one currency`,
    ]);
}
