import type { HostInfo, MoveKind } from '../compute/driver.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import { openHosts } from '../db/queries/hosts/hosts.ts';
import { hasMoveFailed, type JobRow } from '../db/queries/service/jobs.ts';
import { findFootprint } from '../db/queries/vms/reservations.ts';
import type { VmIdentity, VmPower } from '../db/queries/vms/vm-parts.ts';
import { updateVm, type VmRow } from '../db/queries/vms/vms.ts';
import { placeGuest } from '../domain/hosts/place.ts';
import { recordSystemEvent } from '../domain/vms/events.ts';
import type { MoveInput } from '../domain/vms/job-inputs.ts';
import { type SystemJobStart, startSystemJob } from '../domain/vms/start-job.ts';
import { capacityUnavailable } from '../platform/errors.ts';

export interface MovePlan extends MoveInput {
  /** The guest is running, and has to be switched off for the move. */
  interrupts: boolean;
}

export interface MoveParts {
  engine: string;
  hosts: readonly HostInfo[];
  plan: MovePlan;
  /** A host to which a move has just failed: any other host is preferred. */
  lastResort?: string;
}

/**
 * Decides how to move a VM, which has no job and is locked, given the `kind` of move that the engine supports for its
 * guest. If its last move failed, the VM is switched off for this one: a host may lack something that the running guest
 * uses.
 */
export async function planMove(
  db: Queryable,
  vm: Pick<VmIdentity, 'id'> & VmPower,
  kind: MoveKind,
): Promise<MovePlan> {
  const isOff = vm.status === 'stopped' || vm.status === 'suspended';
  const how = kind === 'live' && !isOff && !(await hasMoveFailed(db, vm.id)) ? 'live' : 'cold';
  const interrupts = how === 'cold' && !isOff;
  return { how, interrupts, restart: interrupts && vm.wanted_power === 'on' };
}

/**
 * Starts the job that moves a VM, which has no job and is locked, to another host in its zone, and reserves capacity
 * there. The capacity on its current host stays reserved until the outcome is known. Throws `capacity_unavailable` if
 * no host has capacity.
 */
export async function startMove(
  start: SystemJobStart & { db: Transaction },
  vm: VmIdentity & Pick<VmRow, 'status' | 'zone' | 'host_id'>,
  { engine, hosts, plan: { how, restart }, lastResort }: MoveParts,
): Promise<{ job: JobRow; hostId: string }> {
  const { db, services, now } = start;
  const input: MoveInput = { how, restart };
  const size = await findFootprint(db, vm.id);
  if (!size) throw capacityUnavailable(`no host has capacity for ${vm.id}`);
  const taking = await openHosts(db, engine);
  const job = await startSystemJob(start, vm, { kind: 'move', input });
  const event = { type: 'vm.move_requested' as const, message: 'The VM is being moved to another host.' };
  const subject = { account_id: vm.account_id, vm_id: vm.id, id: job.id };
  await recordSystemEvent(db, services.clock, subject, 'info', event);
  // Last, because the host's row stays locked until the commit.
  const guest = { accountId: vm.account_id, size, zones: [vm.zone], except: vm.host_id!, lastResort };
  const { hostId } = await placeGuest(db, hosts, taking, guest);
  const status = input.restart ? ('rebooting' as const) : vm.status;
  await updateVm(db, vm.id, { moving_to: hostId, status }, now);
  return { job, hostId };
}
