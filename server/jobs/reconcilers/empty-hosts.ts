import type { ComputeDriver } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { hostsOf, lockHost, occupancy, restingVms, setHostState } from '../../db/queries/hosts.ts';
import type { MoveWindow } from '../../db/queries/move-windows.ts';
import type { Signals } from '../../db/signals.ts';
import { phaseOf, windowOf } from '../../domain/hosts/move-window.ts';
import type { JobPublisher } from '../../domain/vms/job-publisher.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { Failures } from '../../platform/failures.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { type MoveParts, planMove, startMove } from '../start-move.ts';
import { inTransaction } from '../timers/renew-vms.ts';
import { announceMove, cancelMoves } from './announce-moves.ts';

export interface EmptyServices {
  clock: Clock;
  compute: ComputeDriver;
  db: Database;
  engine: string;
  logger: Logger;
  metrics: Metrics;
  queue: JobPublisher;
  secrets: SecretBox;
  signals: Signals;
}

/** Moves away from one host at the same time: each copies a disk. */
const AT_ONCE = 4;
/** VMs looked at in a round, of which some have no place elsewhere: the next round looks again. */
const BATCH = 100;

/** Which VMs of a drained host may be moved, by where `now` is in its window: the owner of one that runs gets notice first. */
const WHICH = { before: 'off_or_not_told', open: 'all', over: 'off' } as const;

/** Where each VM was last sent, by its id: one that is still to be moved has not arrived there. */
export type Destinations = Map<string, string>;

/**
 * Moves VMs away from hosts that are drained, some at a time, and records which of those are empty. All that is wanted is in
 * the database, so that a round which was interrupted is gone on with by the next, on whichever node. What `destinations` keeps
 * from round to round is for a VM's sake that would else be sent to the same unfit host again and again. What has to be switched
 * off for it is moved in the host's window, of which its owners are told before.
 */
export async function emptyHosts(
  services: EmptyServices,
  failures = new Failures(services),
  destinations: Destinations = new Map(),
): Promise<void> {
  const { clock, compute, db, engine } = services;
  await cancelMoves(services, failures);
  const drained = (await hostsOf(db, engine)).filter(
    ({ state, lost_at }) => state !== 'up' && lost_at === null,
  );
  if (drained.length === 0) return destinations.clear();
  const hosts = await compute.hosts();
  const { move } = compute.capabilities();
  for (const host of drained) {
    const { id } = host;
    const window = windowOf(host);
    const phase = phaseOf(window, clock.now());
    const { leaving } = await occupancy(db, id);
    let left = AT_ONCE - leaving;
    if (move !== 'none' && left > 0) {
      for (const vmId of await restingVms(db, id, WHICH[phase], BATCH)) {
        if (left === 0) break;
        const lastResort = destinations.get(vmId);
        const closed = phase === 'open' ? undefined : window;
        const to = { engine, hosts, lastResort };
        const target = await moveAway(services, failures, vmId, { hostId: id, closed }, to);
        if (target === undefined) continue;
        destinations.set(vmId, target);
        left--;
      }
    }
    await noteWhetherEmpty(services, id);
  }
}

/**
 * The host that the VM is being moved to; undefined where it stays for now. `closed` is the host's window for moves of what has
 * to be switched off, where it is not open.
 */
async function moveAway(
  services: EmptyServices,
  failures: Failures,
  vmId: string,
  from: { hostId: string; closed: MoveWindow | undefined },
  to: Omit<MoveParts, 'plan'>,
): Promise<string | undefined> {
  const { clock, compute, db, queue, signals } = services;
  let target: string | undefined;
  const work = async () => {
    // Asked outside of the transaction. One that goes off until its move begins is moved as it is then.
    const kind = await compute.moveKind(vmId);
    await inTransaction(db, vmId, async (tx, vm) => {
      target = undefined;
      if (vm.active_job_id || vm.deleted_at || vm.host_id !== from.hostId) return;
      const plan = await planMove(tx, vm, kind);
      if (plan.interrupts && from.closed) return announceMove(tx, services, vm, from.closed);
      const start = { db: tx, services: { clock, queue, signals }, now: clock.now() };
      target = (await startMove(start, vm, { ...to, plan })).hostId;
    }).catch((error) => {
      target = undefined;
      throw error instanceof ApiError ? new Error(`${vmId} has no place: ${error.context}`) : error;
    });
  };
  await failures.attempt('empty_hosts', work, vmId);
  return target;
}

/** Under the host's lock, by which an order that was under way when the drain began is seen. */
function noteWhetherEmpty({ db, logger }: EmptyServices, hostId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const host = await lockHost(tx, hostId);
    if (!host || host.state === 'up') return;
    const { vms } = await occupancy(tx, hostId);
    const state = vms === 0 ? 'evacuated' : 'draining';
    if (state === host.state) return;
    await setHostState(tx, hostId, state);
    if (state === 'evacuated') tx.afterCommit(() => logger.info({ host: hostId }, 'a drained host is empty'));
  });
}
