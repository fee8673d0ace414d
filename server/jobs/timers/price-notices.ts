import { type Database, empty, sql, type Transaction } from '../../db/database.ts';
import { isBilled } from '../../db/queries/money/billed-vms.ts';
import { updateVm, type VmChange, type VmRow } from '../../db/queries/vms/vms.ts';
import { catalogOf, catalogsOf } from '../../domain/billing/buyers.ts';
import { planRetires, priceChange } from '../../domain/billing/dunning-events.ts';
import { FORGOTTEN, lookAhead, type PriceOutlook } from '../../domain/billing/price-outlook.ts';
import type { SalesCatalog } from '../../domain/catalog/buyer-prices.ts';
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
/** VMs per query. */
const BATCH = 500;

/**
 * Notifies the owners of VMs ahead of time that a renewal will cost more, or that there will be none because the plan
 * is retired. The catalog is read when the service starts, so the first round checks every VM. Later rounds check a VM
 * when another of its months can be foreseen: about once a month.
 */
export class PriceNotices {
  readonly #services: NoticeServices;
  readonly #failures: Failures;
  #haveSeenAll = false;

  constructor(services: NoticeServices, failures: Failures) {
    this.#services = services;
    this.#failures = failures;
  }

  async run(): Promise<void> {
    const { catalog, db } = this.#services;
    const changes =
      (catalog.price_notice_days ?? 0) > 0 || catalog.plans.some(({ retires_on }) => retires_on);
    if (this.#haveSeenAll && !changes) return;
    let last: VmRow | undefined;
    let failed = false;
    for (;;) {
      const vms = await this.#vmsToLookAt(last);
      const soldTo = await catalogsOf(db, catalog, vms);
      for (const vm of vms) if (!(await this.#look(vm, soldTo(vm)))) failed = true;
      if (vms.length < BATCH) break;
      last = vms.at(-1);
    }
    this.#haveSeenAll ||= !failed;
  }

  #vmsToLookAt(after: VmRow | undefined): Promise<VmRow[]> {
    const { db, clock, catalog } = this.#services;
    const sight = new Date(clock.now().getTime() + (catalog.price_notice_days ?? 0) * DAY_MS);
    const told = sql`(auto_renew or price_notice_at is not null or retires_at is not null)`;
    const unseen = sql`auto_renew and (prices_seen_until is null or prices_seen_until < ${sight})`;
    return db.query<VmRow>(sql`
      select * from vms where ${isBilled} and ${this.#haveSeenAll ? unseen : told}
        ${after ? sql`and id > ${after.id}` : empty} order by id limit ${BATCH}`);
  }

  /** Notifies the owner if a price changes, and returns whether that succeeded. Without a change the VM is only read. */
  async #look(vm: VmRow, catalog: SalesCatalog): Promise<boolean> {
    const { db, clock } = this.#services;
    if (changeBy(vm, lookAhead(vm, catalog, clock.now())) === null) return true;
    const work = () => withLockedVm(db, vm.id, (tx, locked) => this.#notify(tx, locked));
    return this.#failures.attempt('price_notices', work, vm.id);
  }

  async #notify(tx: Transaction, vm: VmRow): Promise<void> {
    const { clock, secrets } = this.#services;
    const now = clock.now();
    const catalog = await catalogOf(tx, this.#services.catalog, vm.account_id);
    const outlook = lookAhead(vm, catalog, now);
    const change = changeBy(vm, outlook);
    if (!change) return;
    const { notice, retiresAt } = outlook;
    const given = notice && {
      price_notice_minor: notice.price_minor,
      price_notice_at: now,
      price_notice_from_at: notice.from,
    };
    await updateVm(tx, vm.id, { ...change, ...given }, now);
    const subject = { account_id: vm.account_id, vm_id: vm.id };
    // The event has the time of the notice, however long the statements in between took.
    const still: Clock = { now: () => now, sleep: (ms, signal) => clock.sleep(ms, signal) };
    const notify = (event: EventText) => warnOwners(tx, { clock: still, secrets }, subject, event);
    if (notice) await notify(priceChange(vm, notice));
    if (retiresAt && isOther(vm.retires_at, retiresAt)) await notify(planRetires(vm, retiresAt));
  }
}

const isOther = (a: Date | null, b: Date | null) => a?.getTime() !== b?.getTime();

/**
 * Returns what a VM has to record of an outlook, apart from the notice itself; null if the VM has all of it already.
 */
function changeBy(
  vm: Pick<VmRow, 'prices_seen_until' | 'retires_at'>,
  { notice, withdrawn, seenUntil, retiresAt }: PriceOutlook,
): VmChange | null {
  const isNews =
    notice || withdrawn || isOther(vm.prices_seen_until, seenUntil) || isOther(vm.retires_at, retiresAt);
  if (!isNews) return null;
  return { prices_seen_until: seenUntil, retires_at: retiresAt, ...(withdrawn && FORGOTTEN) };
}
