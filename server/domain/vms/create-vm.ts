import type { JobRow } from '../../db/queries/jobs.ts';
import type { OrderRow } from '../../db/queries/orders.ts';
import { findSshKeys } from '../../db/queries/ssh-keys.ts';
import { insertVmSshKey } from '../../db/queries/vm-ssh-keys.ts';
import { findVm, insertVm, type NewVm, type VmView } from '../../db/queries/vms.ts';
import { lockWallet } from '../../db/queries/wallets.ts';
import { type ApiError, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { placeOrder, requireAtMost, requireFunds } from '../billing/ledger.ts';
import { type Configuration, firstPeriod, monthCharge, planConfiguration } from '../billing/pricing.ts';
import { ledger } from '../billing/vm-orders.ts';
import type { Catalog, Region } from '../catalog/catalog-schema.ts';
import { findRegion } from '../catalog/lookup.ts';
import { allocateAddresses } from '../network/allocate.ts';
import { requirePlan, requireRoomFor, requireSoldIn, requireTemplate } from './configuration.ts';
import { type CreateInput, SEALED_FOR } from './job-inputs.ts';
import { newMac } from './mac.ts';
import { generatePassword } from './passwords.ts';
import { requireQuota } from './quotas.ts';
import { type JobStart, startJob, withJob } from './start-job.ts';

/** The body of a create request, valid by its schema. */
export interface CreateRequest {
  plan: string;
  template: string;
  hostname: string;
  region?: string;
  zone?: string;
  ssh_key_ids?: string[];
  password?: string;
  user_data?: string;
  notes?: string | null;
  auto_renew?: boolean;
  start?: boolean;
  max_charge_minor?: number;
}

export interface Created {
  vm: VmView;
  order: OrderRow;
  /** Made here, because the request named neither key nor password; shown once. */
  initialPassword: string | null;
}

/**
 * Buys a VM: one transaction checks quota and funds, takes addresses, holds the money, and writes order, VM
 * and job. `admission` is what the driver said of the size: null where there is room.
 */
export async function createVm(
  start: JobStart,
  request: CreateRequest,
  admission: ApiError | null,
): Promise<Created> {
  const { db, services, caller, now } = start;
  const { catalog } = services;
  const { region, zone, configuration } = requireOffer(catalog, request);
  const keys = await requireSshKeys(start, request.ssh_key_ids ?? []);
  const period = firstPeriod(now);
  const charge = monthCharge(configuration, period, catalog.currency);

  const wallet = await lockWallet(db, caller.accountId);
  await requireQuota(db, catalog, caller.accountId, { ...configuration, vms: 1 });
  requireAtMost(charge, request.max_charge_minor);
  requireFunds(wallet, charge.total_minor);
  if (admission) throw admission;

  const vm: NewVm = {
    id: newId('vm', services.clock),
    account_id: caller.accountId,
    hostname: request.hostname,
    notes: request.notes ?? null,
    status: 'provisioning',
    plan: configuration.plan,
    template: request.template,
    region: region.code,
    zone,
    vcpu: configuration.vcpu,
    ram_mb: configuration.ram_mb,
    disk_gb: configuration.disk_gb,
    bandwidth_gb: configuration.bandwidth_gb,
    mac: newMac(),
    price_monthly_minor: configuration.price_monthly_minor,
    currency: catalog.currency,
    auto_renew: request.auto_renew ?? true,
    billing_anchor_day: now.getUTCDate(),
    billing_period_start_at: period.startAt,
    billing_period_end_at: period.endAt,
    created_at: now,
  };
  await insertVm(db, vm);
  for (const key of keys) await insertVmSshKey(db, vm.id, key);
  const purchase = { accountId: caller.accountId, vmId: vm.id, kind: 'create' as const, charge, at: now };
  const order = await placeOrder(ledger(services, db), purchase);
  const initialPassword = request.password || keys.length > 0 ? null : generatePassword();
  const made = (await findVm(db, caller.accountId, vm.id))!;
  const job = await startCreation(start, made, order, request, request.password ?? initialPassword);
  // Last, because the pool's row stays locked until the commit: purchases in a region wait for each other here.
  const addresses = await allocateAddresses(db, catalog, region, vm.id, now);
  return { vm: { ...withJob(made, job, now), ...addresses }, order, initialPassword };
}

interface Offer {
  region: Region;
  zone: string;
  configuration: Configuration;
}

/** What the request asks for, as the catalog sells it. */
function requireOffer(catalog: Catalog, request: CreateRequest): Offer {
  const region = findRegion(catalog, request.region ?? catalog.default_region);
  if (!region) throw invalidField('region', 'unknown', `there is no region ${request.region}`);
  const zone = request.zone ?? region.zones[0]!;
  if (!region.zones.includes(zone))
    throw invalidField('zone', 'unknown', `region ${region.code} has no zone ${zone}`);
  const plan = requirePlan(catalog, request.plan);
  requireSoldIn(plan, region.code);
  requireRoomFor(requireTemplate(catalog, request.template), plan);
  return { region, zone, configuration: planConfiguration(plan, catalog.currency) };
}

async function requireSshKeys({ db, caller }: JobStart, ids: string[]) {
  const keys = ids.length === 0 ? [] : await findSshKeys(db, caller.accountId, ids);
  const found = new Set(keys.map((key) => key.id));
  const missing = ids.findIndex((id) => !found.has(id));
  if (missing >= 0) throw invalidField(`ssh_key_ids.${missing}`, 'unknown', 'is not one of your SSH keys');
  return keys;
}

function startCreation(
  start: JobStart,
  vm: VmView,
  order: OrderRow,
  request: CreateRequest,
  password: string | null,
): Promise<JobRow> {
  const { services } = start;
  const input: CreateInput = {
    start: request.start ?? true,
    sealed_password: password === null ? null : services.secrets.seal(password, SEALED_FOR.create),
    user_data: request.user_data ?? null,
  };
  return startJob(start, vm, { kind: 'create', input, orderId: order.id });
}
