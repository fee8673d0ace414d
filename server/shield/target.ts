import type { Queryable, Transaction } from '../db/database.ts';
import { endAttacks } from '../db/queries/shield/shield-attacks.ts';
import { deleteAutomaticRules } from '../db/queries/shield/shield-rules.ts';
import {
  bumpTarget,
  countTargets,
  insertTarget,
  markTargetsRemoved,
  setTargetMode,
  type TargetMode,
  type TargetRow,
} from '../db/queries/shield/shield-targets.ts';
import type { TenantRow } from '../db/queries/shield/shield-tenants.ts';
import { addressesOf } from '../db/queries/vms/addresses.ts';
import { lockVmOfAddress } from '../db/queries/vms/vm-of-address.ts';
import type { EdgeCapabilities } from '../edge/driver.ts';
import { addressMatcher } from '../platform/cidr.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { EdgeReconciler } from './reconcile-edge.ts';

/** Throws `quota_exceeded` if one more would exceed the limit. */
export function requireRoom(resource: string, limit: number, used: number): void {
  if (used < limit) return;
  const message = `The limit of ${limit} for ${resource} would be exceeded.`;
  throw new ApiError('quota_exceeded', message, { limit, used, resource });
}

/** Traffic above this is an attack; null means that the threshold is learned. */
export interface Threshold {
  pps: bigint | null;
  bps: bigint | null;
}
const NO_THRESHOLD: Threshold = { pps: null, bps: null };

/** Throws `validation_failed` for an address that this edge cannot serve and that therefore nothing would protect. */
export function requireServed({ prefixes }: EdgeCapabilities, ip: string): void {
  if (prefixes === null || addressMatcher(prefixes)(ip)) return;
  throw invalidField('ip', 'not_supported', 'is not in any network that the edge protects');
}

/** Makes an address of one of the account's VMs a target. Returns its id. */
export async function addTarget(
  tx: Queryable,
  clock: Clock,
  tenant: TenantRow,
  { ip, mode, threshold = NO_THRESHOLD }: { ip: string; mode: TargetMode; threshold?: Threshold },
): Promise<string> {
  const vm = await lockVmOfAddress(tx, tenant.account_id, ip);
  const isThere =
    vm && vm.status !== 'deleting' && (await addressesOf(tx, vm.id)).some((a) => a.address === vm.ip);
  if (!isThere) throw invalidField('ip', 'not_found', "must be an address of one of the account's VMs");
  requireRoom('shield_targets_per_tenant', TARGETS_PER_TENANT, await countTargets(tx, tenant.id));
  const id = newId('tgt', clock);
  const isNew = await insertTarget(tx, {
    id,
    account_id: tenant.account_id,
    tenant_id: tenant.id,
    vm_id: vm.id,
    ip: vm.ip,
    mode,
    generation: 1,
    applied: 0,
    baseline_pps: null,
    baseline_bps: null,
    threshold_pps: threshold.pps,
    threshold_bps: threshold.bps,
    created_at: clock.now(),
    removed_at: null,
  });
  if (!isNew)
    throw invalidField(
      'ip',
      'in_use',
      `${vm.ip} is already a target, or is still being removed from the edge`,
    );
  return id;
}

/**
 * Sets a target's mode. Only `always_on` has automatic rules; `off` takes the target off the edge, which ends its
 * ongoing attack.
 */
export async function changeMode(
  tx: Queryable,
  target: TargetRow,
  mode: TargetMode,
  now: Date,
): Promise<void> {
  await setTargetMode(tx, target.id, mode);
  if (mode !== 'always_on') await deleteAutomaticRules(tx, target.id);
  if (mode === 'off') await endAttacks(tx, target.id, now);
}

/** Ends the protection of an address. Its attacks stay on record. */
export function removeTarget(tx: Queryable, target: TargetRow, now: Date): Promise<void> {
  return markTargetsRemoved(tx, { id: target.id }, now);
}

interface Request {
  db: Transaction;
  services: { shield: EdgeReconciler };
}

/**
 * Begins a change to a target's rules; the caller holds the target's lock. Returns the generation to write them
 * under. The edge is updated as soon as the transaction has committed.
 */
export function beginRuleChange({ db, services }: Request, targetId: string): Promise<number> {
  db.afterCommit(() => services.shield.kick(targetId));
  return bumpTarget(db, targetId);
}

/**
 * Maximum number of rules of a target, automatic ones included: an edge checks every packet against them one by one.
 */
export const RULES_PER_TARGET = 50;
/** Maximum number of targets of a tenant: its traffic is read target by target. */
export const TARGETS_PER_TENANT = 100;
/** Maximum number of tenants of an account: its billing summary lists all of them. */
export const TENANTS_PER_ACCOUNT = 20;
