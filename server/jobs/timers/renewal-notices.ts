import { type Database, empty, sql, type Transaction } from '../../db/database.ts';
import { billedVms, isBilled } from '../../db/queries/money/billed-vms.ts';
import { promoLeft } from '../../db/queries/money/promo-credits.ts';
import { lookUpWallet } from '../../db/queries/money/wallets.ts';
import type { VmPeriod } from '../../db/queries/vms/vm-parts.ts';
import { updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import { catalogOf } from '../../domain/billing/buyers.ts';
import { planRetires, renewalDue } from '../../domain/billing/dunning-events.ts';
import { spendableMinor, unpaidDebt } from '../../domain/billing/ledger.ts';
import { lackingFor } from '../../domain/billing/ranking.ts';
import { isRetired } from '../../domain/billing/retirement.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import type { EventText } from '../../domain/vms/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { warnOwners } from '../tell-owners.ts';
import { withLockedVm } from '../with-locked-vm.ts';

interface NoticeServices {
  catalog: Catalog;
  clock: Clock;
  db: Database;
  secrets: SecretBox;
}

const DAY_MS = 86_400_000;
/** Days before the end of a period at which the wallet is checked against the renewal, earliest first. */
const NOTICE_DAYS = [7, 3, 1] as const;
/** VMs per query. */
const BATCH = 500;

/** Returns how many of a period's notices are due by `now`. */
function noticesBy(
  { billing_period_end_at: end }: Pick<VmPeriod, 'billing_period_end_at'>,
  now: Date,
): number {
  return NOTICE_DAYS.filter((days) => now.getTime() >= end.getTime() - days * DAY_MS).length;
}

/**
 * Notifies the owners of VMs some days in advance that their wallets do not cover the renewals, or that there will be
 * none because the plan is retired. Each notice is given once per period; after an outage, only the latest of the
 * missed ones is given.
 */
export async function giveRenewalNotices(services: NoticeServices, failures: Failures): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  let last: VmRow | undefined;
  for (;;) {
    const vms: VmRow[] = await vmsToLookAt(services, now, last);
    for (const vm of vms) {
      const look = () => withLockedVm(db, vm.id, (tx, locked) => giveNotice(services, tx, locked));
      await failures.attempt('renewal_notices', look, vm.id);
    }
    if (vms.length < BATCH) return;
    last = vms.at(-1);
  }
}

function vmsToLookAt({ db }: NoticeServices, now: Date, after: VmRow | undefined): Promise<VmRow[]> {
  const within = (days: number) => sql`billing_period_end_at <= ${new Date(now.getTime() + days * DAY_MS)}`;
  const [first, second, third] = NOTICE_DAYS;
  const rest = after
    ? sql`and (billing_period_end_at, id) > (${after.billing_period_end_at}, ${after.id})`
    : empty;
  return db.query<VmRow>(sql`
    select * from vms where ${isBilled} and auto_renew and billing_period_end_at > ${now} and ${within(first)}
      and renewal_notices < case when ${within(third)} then 3 when ${within(second)} then 2 else 1 end ${rest}
    order by billing_period_end_at, id limit ${BATCH}`);
}

async function giveNotice(services: NoticeServices, tx: Transaction, vm: VmRow): Promise<void> {
  const now = services.clock.now();
  const notices = noticesBy(vm, now);
  if (!vm.auto_renew || vm.billing_period_end_at <= now || vm.renewal_notices >= notices) return;
  await updateVm(tx, vm.id, { renewal_notices: notices }, now);
  const days = NOTICE_DAYS[notices - 1]!;
  const subject = { account_id: vm.account_id, vm_id: vm.id };
  const tell = (event: EventText) => warnOwners(tx, services, subject, event);
  if (isRetired(vm)) {
    await tell(planRetires(vm, vm.billing_period_end_at, days));
    return;
  }
  const wallet = await lookUpWallet(tx, vm.account_id);
  const funds = { available_minor: spendableMinor(wallet), credits: await promoLeft(tx, vm.account_id) };
  const catalog = await catalogOf(tx, services.catalog, vm.account_id);
  const next = lackingFor(vm.id, await billedVms(tx, vm.account_id), funds, catalog, now);
  if (!next || next.lacking_minor === 0n) return;
  const due = { amount: next.renewal.amount_minor, lacking: next.lacking_minor + unpaidDebt(wallet) };
  await tell(renewalDue(vm, days, due));
}
