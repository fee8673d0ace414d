import type { Queryable, Transaction } from '../db/database.ts';
import { addressesOf } from '../db/queries/addresses.ts';
import { endAttacks } from '../db/queries/shield-attacks.ts';
import { deleteAutomaticRules } from '../db/queries/shield-rules.ts';
import {
  bumpTarget,
  countTargets,
  insertTarget,
  markTargetsRemoved,
  setTargetMode,
  type TargetMode,
  type TargetRow,
} from '../db/queries/shield-targets.ts';
import type { TenantRow } from '../db/queries/shield-tenants.ts';
import { lockVmOfAddress } from '../db/queries/vm-of-address.ts';
import type { EdgeCapabilities } from '../edge/driver.ts';
import { addressMatcher } from '../platform/cidr.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { EdgeReconciler } from './reconcile-edge.ts';

/** Refuses with `quota_exceeded` when one more would be above the limit. */
export function requireRoom(resource: string, limit: number, used: number): void {
  if (used < limit) return;
  const message = `The limit of ${limit} for ${resource} would be exceeded.`;
  throw new ApiError('quota_exceeded', message, { limit, used, resource });
}

/** From how much on what comes in is an attack; null is learnt. */
export interface Threshold {
  pps: bigint | null;
  bps: bigint | null;
}
const NO_THRESHOLD: Threshold = { pps: null, bps: null };

/** Refuses with `validation_failed` an address that this edge cannot have: nothing would protect it. */
export function requireServed({ prefixes }: EdgeCapabilities, ip: string): void {
  if (prefixes === null || addressMatcher(prefixes)(ip)) return;
  throw invalidField('ip', 'not_available', 'is in none of the networks that the edge protects');
}

/** Makes an address of one of the account's VMs a target; its id. */
export async function addTarget(
  tx: Queryable,
  clock: Clock,
  tenant: TenantRow,
  { ip, mode, threshold = NO_THRESHOLD }: { ip: string; mode: TargetMode; threshold?: Threshold },
): Promise<string> {
  const vm = await lockVmOfAddress(tx, tenant.account_id, ip);
  const isThere =
    vm && vm.status !== 'deleting' && (await addressesOf(tx, vm.id)).some((a) => a.address === vm.ip);
  if (!isThere) throw invalidField('ip', 'not_own', "must be an address of one of the account's VMs");
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
    throw invalidField('ip', 'taken', `${vm.ip} is a target already, or is still being taken off the edge`);
  return id;
}

/**
 * Sets what is done for a target. Only `always_on` has automatic rules; `off` takes it off the edge, which ends the
 * attack that was being watched.
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

/** Ends the protection of an address; its attacks stay on record. */
export function removeTarget(tx: Queryable, target: TargetRow, now: Date): Promise<void> {
  return markTargetsRemoved(tx, { id: target.id }, now);
}

interface Request {
  db: Transaction;
  services: { shield: EdgeReconciler };
}

/**
 * Begins a change of a target's rules, whose lock the caller holds: the generation to write it under. The edge is
 * brought up to date as soon as the transaction has committed.
 */
export function beginRuleChange({ db, services }: Request, targetId: string): Promise<number> {
  db.afterCommit(() => services.shield.kick(targetId));
  return bumpTarget(db, targetId);
}

/** Rules of a target, its own and automatic ones together: an edge looks at them one by one for every packet. */
export const RULES_PER_TARGET = 50;
/** Targets of a tenant: its traffic is read target by target. */
export const TARGETS_PER_TENANT = 100;
/** The tenants of an account are listed whole in its billing summary. */
export const TENANTS_PER_ACCOUNT = 20;
