import type { ComputeDriver } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { hostsOf, lockHost, occupancy, restingVms, setHostState } from '../../db/queries/hosts/hosts.ts';
import type { MoveWindow } from '../../db/queries/hosts/move-windows.ts';
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
import { withLockedVm } from '../with-locked-vm.ts';
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

/** Concurrent moves away from one host: each copies a disk. */
const AT_ONCE = 4;
/** VMs considered per round. Some may have no place elsewhere; the next round looks again. */
const BATCH = 100;

/**
 * The VMs of a drained host that may be moved before, during and after its window: the owner of a running VM gets
 * notice first.
 */
const WHICH = { before: 'off_or_not_told', open: 'all', over: 'off' } as const;

/** The last destination of each VM, by VM id. A VM that still has to be moved did not arrive there. */
export type Destinations = Map<string, string>;

/**
 * Moves VMs away from hosts that are being drained, a few at a time, and records which of those hosts are empty.
 * Everything it needs is in the database, so the next round, on any node, continues an interrupted one. `destinations`
 * is kept between rounds so that a VM is not sent to the same unsuitable host again and again. A VM that has to be
 * switched off for its move is moved in the host's window, of which its owners are notified in advance.
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
 * Returns the id of the host that the VM is being moved to; undefined if it stays for now. `closed` is the host's
 * window for moves that switch a VM off, if that window is not open.
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
    // Asked outside the transaction. A guest that powers off before its move begins is moved in the state it is in
    // then.
    const kind = await compute.moveKind(vmId);
    await withLockedVm(db, vmId, async (tx, vm) => {
      target = undefined;
      if (vm.active_job_id || vm.deleted_at || vm.host_id !== from.hostId) return;
      const plan = await planMove(tx, vm, kind);
      if (plan.interrupts && from.closed) return announceMove(tx, services, vm, from.closed);
      const start = { db: tx, services: { clock, queue, signals }, now: clock.now() };
      target = (await startMove(start, vm, { ...to, plan })).hostId;
    }).catch((error) => {
      target = undefined;
      throw error instanceof ApiError ? new Error(`${vmId} cannot be moved: ${error.context}`) : error;
    });
  };
  await failures.attempt('empty_hosts', work, vmId);
  return target;
}

/** Holds the host's lock, so that it sees any order that was in progress when the drain began. */
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
