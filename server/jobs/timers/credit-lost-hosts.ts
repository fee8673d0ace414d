import type { Database } from '../../db/database.ts';
import { LOST_HOST_ACTOR, uncreditedLosses } from '../../db/queries/hosts/lost-host-outages.ts';
import { creditNextVm } from '../../domain/billing/adjustments/credit-outage.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';

interface CreditServices {
  catalog: Catalog;
  clock: Clock;
  db: Database;
}

/** Outages per query. */
const BATCH = 500;

/**
 * Credits outages of hosts that were lost and are back, by the catalog's rule. An interrupted run continues where it
 * stopped; an outage that fails does not hold up the others.
 */
export async function creditLostHosts(
  { catalog, clock, db }: CreditServices,
  failures: Failures,
): Promise<void> {
  if (!catalog.sla?.lost_hosts) return;
  const { credits: rule } = catalog.sla;
  let last = '';
  for (;;) {
    const outages = await uncreditedLosses(db, last, BATCH);
    for (const outageId of outages) {
      const credit = { outageId, rule, actor: LOST_HOST_ACTOR };
      const work = async () => {
        while (await db.transaction((tx) => creditNextVm({ tx, clock }, credit)));
      };
      await failures.attempt('credit_lost_hosts', work, outageId);
    }
    if (outages.length < BATCH) return;
    last = outages.at(-1)!;
  }
}
