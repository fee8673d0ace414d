import type { Queryable, Transaction } from '../../db/database.ts';
import {
  type BillingProfileRow,
  findBillingProfile,
  findBillingProfiles,
  type NewProfile,
  putBillingProfile,
} from '../../db/queries/money/billing-profiles.ts';
import { lookAtPricesAgain } from '../../db/queries/vms/vms.ts';
import { catalogFor, priceRate, type SalesCatalog } from '../catalog/buyer-prices.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';

/** Returns the catalog at the prices of an account. */
export async function catalogOf(db: Queryable, catalog: Catalog, accountId: string): Promise<SalesCatalog> {
  return catalogFor(catalog, await findBillingProfile(db, accountId));
}

/** Returns the catalogs for the accounts of `items`, with one query. */
export async function catalogsOf(
  db: Queryable,
  catalog: Catalog,
  items: { account_id: string }[],
): Promise<(item: { account_id: string }) => SalesCatalog> {
  const ids = [...new Set(items.map(({ account_id }) => account_id))];
  const buyers = new Map((await findBillingProfiles(db, ids)).map((buyer) => [buyer.account_id, buyer]));
  const sold = new Map(ids.map((id) => [id, catalogFor(catalog, buyers.get(id))]));
  return ({ account_id }) => sold.get(account_id)!;
}

/**
 * Writes an account's billing profile. If its prices change as a result, the next round of price notices checks its VMs
 * again, so that the owner is notified of higher prices. Locks the VMs.
 */
export async function saveBillingProfile(
  tx: Transaction,
  catalog: Catalog,
  profile: NewProfile,
): Promise<BillingProfileRow> {
  const before = await findBillingProfile(tx, profile.account_id);
  const pricesChange = priceRate(catalog, before) !== priceRate(catalog, profile);
  if (pricesChange) await lookAtPricesAgain(tx, profile.account_id);
  return putBillingProfile(tx, profile);
}
