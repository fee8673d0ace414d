import type { Transaction } from '../../db/database.ts';
import { openHosts } from '../../db/queries/hosts/hosts.ts';
import { findBillingProfile } from '../../db/queries/money/billing-profiles.ts';
import type { OrderRow } from '../../db/queries/money/orders.ts';
import { lockWallet } from '../../db/queries/money/wallets.ts';
import type { JobRow } from '../../db/queries/service/jobs.ts';
import type { NewVm } from '../../db/queries/vms/insert-vm.ts';
import { findSshKeys, type SshKeyRow } from '../../db/queries/vms/ssh-keys.ts';
import { insertVmSshKey } from '../../db/queries/vms/vm-ssh-keys.ts';
import { newView, updateVm, type VmView } from '../../db/queries/vms/vms.ts';
import { ApiError, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { placeOrder, requireAtMost, requireFree } from '../billing/ledger.ts';
import type { BillingMode } from '../billing/metering.ts';
import { firstPeriod } from '../billing/period.ts';
import {
  type Configuration,
  meteredAs,
  monthCharge,
  planConfiguration,
  type Size,
  termsOf,
} from '../billing/pricing.ts';
import { RENEWAL_PRIORITY } from '../billing/ranking.ts';
import { beginUsage } from '../billing/usage-terms.ts';
import { ledger } from '../billing/vm-orders.ts';
import { catalogFor, type SalesCatalog } from '../catalog/buyer-prices.ts';
import type { Region } from '../catalog/catalog-schema.ts';
import { isDedicated } from '../catalog/lookup.ts';
import { catalogAt } from '../catalog/prices.ts';
import { allocateAddresses } from '../network/allocate.ts';
import { requireKnownCountry } from '../tax/billing-profile.ts';
import { requireCustom, requireHourly, requirePlan, requireRoomFor, requireSoldIn } from './configuration.ts';
import { requireHostname } from './hostname.ts';
import { type CreateInput, SEALED_FOR } from './job-inputs.ts';
import { insertVmWithMac } from './mac.ts';
import { type EngineOffer, requireImage, requireServed } from './offer.ts';
import { generatePassword } from './passwords.ts';
import { readQuota, requireQuota } from './quotas.ts';
import { reserveVm } from './reserve.ts';
import { type PaidJobStart, startJob, withJob } from './start-job.ts';

type Wanted = { plan: string; size?: undefined } | { size: Size; plan?: undefined };

/** The body of a create request, already validated by its schema. */
export type CreateRequest = Wanted & {
  template: string;
  hostname: string;
  region?: string;
  zone?: string;
  ssh_key_ids?: string[];
  password?: string;
  user_data?: string;
  notes?: string | null;
  billing?: BillingMode;
  auto_renew?: boolean;
  renewal_priority?: number;
  start?: boolean;
  max_charge_minor?: number;
};

export interface Created {
  vm: VmView;
  order: OrderRow;
  /** Generated because the request had neither a key nor a password; shown once. */
  initialPassword: string | null;
}

/**
 * Buys a VM. One transaction checks quota and funds, holds the money, writes order, VM and job, reserves capacity and
 * allocates addresses. `offer` is the engine's answer from before the transaction.
 */
export async function createVm(
  start: PaidJobStart,
  request: CreateRequest,
  offer: EngineOffer,
): Promise<Created> {
  const { db, services, caller, now } = start;
  requireHostname(request.hostname);
  // Checked at the list's prices, because reading the buyer on its own would cost a round trip.
  const list = catalogAt(catalogFor(services.catalog, undefined), now);
  const { region, zones } = requireOffer(list, request, offer);
  const next_billing_mode = request.billing ?? 'monthly';
  const [keys, buyer, wallet, quota, taking] = await readForPurchase(start, list, request.ssh_key_ids ?? []);
  requireKnownCountry(buyer);
  const catalog = catalogAt(catalogFor(services.catalog, buyer), now);
  const configuration = requireWanted(catalog, request, region);

  const period = firstPeriod(now);
  const charge = monthCharge(configuration, period, termsOf(catalog, buyer), next_billing_mode);
  requireQuota(quota, { ...configuration, vms: 1 });
  requireAtMost(charge, request.max_charge_minor);
  requireFree(wallet, charge.total_minor);
  for (const answer of [offer.hosts, offer.template]) if (answer instanceof ApiError) throw answer;

  const bought: Omit<NewVm, 'mac'> = {
    id: newId('vm', services.clock),
    account_id: caller.accountId,
    hostname: request.hostname,
    notes: request.notes ?? null,
    status: 'provisioning',
    plan: configuration.plan,
    template: request.template,
    region: region.code,
    // Replaced by the zone of the host that is chosen.
    zone: zones[0]!,
    vcpu: configuration.vcpu,
    ram_mb: configuration.ram_mb,
    disk_gb: configuration.disk_gb,
    dedicated: isDedicated(catalog, configuration.plan),
    bandwidth_gb: configuration.bandwidth_gb,
    engine: services.engine,
    price_monthly_minor: configuration.price_monthly_minor,
    currency: catalog.currency,
    tax_rate: charge.tax_rate,
    next_billing_mode,
    ...meteredAs(charge),
    auto_renew: request.auto_renew ?? true,
    renewal_priority: request.renewal_priority ?? RENEWAL_PRIORITY.default,
    billing_anchor_day: now.getUTCDate(),
    billing_period_start_at: period.startAt,
    billing_period_end_at: period.endAt,
    created_at: now,
  };
  const vm = await insertVmWithMac(db, bought);
  for (const key of keys) await insertVmSshKey(db, vm.id, key);
  const used = await beginUsage(db, catalog, vm, now);
  if (used.usage_priced) await updateVm(db, vm.id, used, now);
  const purchase = {
    accountId: vm.account_id,
    vmId: vm.id,
    kind: 'create',
    charge,
    at: now,
    wallet,
  } as const;
  const order = await placeOrder(ledger(services, db), purchase);
  const initialPassword = request.password || keys.length > 0 ? null : generatePassword();
  const made = newView({ ...vm, ...used });
  const job = await startCreation(start, made, order, request, request.password ?? initialPassword);
  // Last, because the rows of the host and the pool stay locked until the commit: purchases wait for each other here.
  const { hostId, zone } = await reserveVm({ db, hosts: offer.hosts }, taking, vm, zones);
  const addresses = await allocateAddresses(db, catalog, region, vm.id, now);
  return {
    vm: { ...withJob(made, job, now), ...addresses, host_id: hostId, zone },
    order,
    initialPassword,
  };
}

/** Locks the wallet and reads what a purchase depends on, in one round trip. */
function readForPurchase({ db, services, caller }: PaidJobStart, list: SalesCatalog, sshKeyIds: string[]) {
  return Promise.all([
    requireSshKeys(db, caller.accountId, sshKeyIds),
    findBillingProfile(db, caller.accountId),
    lockWallet(db, caller.accountId),
    readQuota(db, list, caller.accountId),
    openHosts(db, services.engine),
  ]);
}

interface Offer {
  region: Region;
  zones: string[];
}

/** Requires that the catalog sells what the request asks for and the engine has it; returns where. */
function requireOffer(catalog: SalesCatalog, request: CreateRequest, offer: EngineOffer): Offer {
  const { region, zones } = requireServed(catalog, request, offer.hosts);
  const configuration = requireWanted(catalog, request, region);
  requireRoomFor(requireImage(catalog, request.template, offer), configuration);
  if (request.billing === 'hourly') requireHourly(configuration, 'billing');
  return { region, zones };
}

function requireWanted(catalog: SalesCatalog, { plan: code, size }: Wanted, region: Region): Configuration {
  if (code === undefined) return requireCustom(catalog, size);
  const plan = requirePlan(catalog, code);
  requireSoldIn(plan, region.code);
  return planConfiguration(plan, catalog.currency);
}

/** Returns the keys with these ids; throws `validation_failed` naming the first one that the account does not have. */
export async function requireSshKeys(
  db: Transaction,
  accountId: string,
  ids: string[],
): Promise<SshKeyRow[]> {
  const keys = ids.length === 0 ? [] : await findSshKeys(db, accountId, ids);
  const found = new Set(keys.map((key) => key.id));
  const missing = ids.findIndex((id) => !found.has(id));
  if (missing >= 0) throw invalidField(`ssh_key_ids.${missing}`, 'not_found', 'is not one of your SSH keys');
  return keys;
}

function startCreation(
  start: PaidJobStart,
  vm: VmView,
  order: OrderRow,
  request: CreateRequest,
  password: string | null,
): Promise<JobRow> {
  const { services } = start;
  const sealed = (text: string | null, purpose: string) =>
    text === null ? null : services.secrets.seal(text, purpose);
  const input: CreateInput = {
    start: request.start ?? true,
    sealed_password: sealed(password, SEALED_FOR.create),
    sealed_user_data: sealed(request.user_data ?? null, SEALED_FOR.userData),
  };
  return startJob(start, vm, { kind: 'create', input, orderId: order.id });
}
