import type { Leadership } from '../../cluster/leadership.ts';
import type { ComputeDriver, GuestSight } from '../../compute/driver.ts';
import type { Database, Transaction } from '../../db/database.ts';
import { clearMoveWindow } from '../../db/queries/hosts/move-windows.ts';
import {
  forgetRestarts,
  type RecordedVm,
  recordedVms,
  vmsBeingStarted,
} from '../../db/queries/vms/guest-states.ts';
import type { VmIdentity } from '../../db/queries/vms/vm-parts.ts';
import { updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import type { Signals } from '../../db/signals.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import { reportLosses } from '../../domain/hosts/report-losses.ts';
import { recordSystemEvent } from '../../domain/vms/events.ts';
import type { JobPublisher } from '../../domain/vms/job-publisher.ts';
import { mayRestart, nextRestart, type RestartPolicy, restartPolicy } from '../../domain/vms/restarts.ts';
import { startSystemJob } from '../../domain/vms/start-job.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failures } from '../../platform/failures.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { ordinal } from '../../platform/readable-time.ts';
import { Reconciler } from '../../platform/reconciler.ts';
import { withLockedVm } from '../with-locked-vm.ts';
import { judgeGuest } from './judge-guest.ts';
import { noteOrphans } from './orphans.ts';
import { settleGuest } from './settle-guest.ts';

/**
 * The service acts once a VM and its guest have contradicted each other for this long: a guest's own changes are
 * reported a moment after they happen.
 */
export const BELIEVED_AFTER_MS = 5_000;

export interface GuestServices {
  catalog: Catalog;
  clock: Clock;
  compute: ComputeDriver;
  db: Database;
  engine: string;
  leadership: Leadership;
  logger: Logger;
  metrics: Metrics;
  queue: JobPublisher;
  signals: Signals;
}

type Sights = Map<string, GuestSight['power']>;

/**
 * Reconciles VMs and guests, on a timer and when kicked: restarts guests that should run, shows the guests' states,
 * stops guests that must not run, and lists guests that belong to no VM. The database says what is wanted, the engine
 * what is real.
 */
export class GuestReconciler {
  readonly #services: GuestServices;
  readonly #failures: Failures;
  /** The findings of the last round by VM id; `since` is in epoch milliseconds. */
  #findings = new Map<string, { what: string; since: number; settled: boolean }>();
  /** VMs that should run are waiting for others to boot. */
  #backlog = false;
  #held = false;
  readonly #reconciler = new Reconciler({
    run: async (signal) => {
      while ((await this.#round()) && !signal.aborted);
    },
    onFailure: (error) => this.#services.logger.warn({ err: error }, 'guests not reconciled'),
  });

  constructor(services: GuestServices) {
    this.#services = services;
    this.#failures = new Failures(services);
    services.signals.onVmChanged(() => {
      if (this.#backlog) this.kick();
    });
  }

  /** Runs one round; if a round is in progress, runs another after it. */
  run(): Promise<void> {
    return this.#reconciler.run();
  }

  /** Runs a round soon, in the background; the next round retries a failure. */
  kick(): void {
    this.#reconciler.kick();
  }

  /** Stops all changes because the host is about to go down; resolves when no change is in progress. */
  hold(): Promise<void> {
    this.#held = true;
    return this.#reconciler.idle();
  }

  /** Undoes {@link hold}. */
  release(): void {
    this.#held = false;
    this.kick();
  }

  get held(): boolean {
    return this.#held;
  }

  /** Stops for good and waits for the current round, for an orderly stop of the service. */
  stop(): Promise<void> {
    return this.#reconciler.close();
  }

  /** Returns true if it has shown that VMs are off: the next round may restart them at once. */
  async #round(): Promise<boolean> {
    const { db, compute, engine, leadership, metrics } = this.#services;
    // A node looks after guests that only it can reach, whichever node leads.
    const isAlone = compute.capabilities().reach === 'this_node';
    if (this.#held || !(isAlone || (await leadership.holds()))) return false;
    // VMs first: a change that a job makes in the meantime shows in its VM, which is checked again before anything is
    // done to it.
    const vms = await recordedVms(db, engine);
    // Before the guests: otherwise a guest whose start ends in between would be neither listed as being started nor
    // seen booting.
    const beingStarted = await vmsBeingStarted(db);
    const guests = await compute.list();
    const sights: Sights = new Map(guests.map(({ id, power }) => [id, power]));
    const ids = new Set(vms.map(({ id }) => id));
    const orphan = await noteOrphans(
      this.#services,
      guests.filter(({ id }) => !ids.has(id)),
    );
    await this.#follow(vms, guests);
    const { missing, unseen, wentOff } = await this.#settle(vms, sights);
    metrics.guestsAmiss({ orphan, missing, unseen });
    const policy = restartPolicy(this.#services.catalog);
    const stableSince = this.#now().getTime() - policy.stableAfterMs;
    await forgetRestarts(db, engine, new Date(stableSince));
    await this.#restart(vms, sights, beingStarted, policy);
    return wentOff > 0;
  }

  /** Records the hosts of guests that no job is moving: the engine has moved them, or a move was given up. */
  async #follow(vms: RecordedVm[], guests: GuestSight[]): Promise<void> {
    const { clock, db } = this.#services;
    const places = new Map(
      guests.flatMap((guest) => (guest.power === 'unknown' ? [] : [[guest.id, guest.hostId]])),
    );
    for (const { id, active_job_id, host_id, host_lost, moving_to, last_job_id } of vms) {
      const place = places.get(id);
      if (active_job_id || place === undefined || (place === host_id && moving_to === null)) continue;
      const work = () =>
        withLockedVm(db, id, async (tx, vm) => {
          if (vm.active_job_id || vm.last_job_id !== last_job_id) return;
          const hasMoved = place !== vm.host_id;
          if (hasMoved && host_lost) await this.#noteRescue(tx, vm);
          if (hasMoved) await clearMoveWindow(tx, id);
          await updateVm(tx, id, { host_id: place, moving_to: null }, clock.now());
        });
      await this.#failures.attempt('reconcile_guests', work, id);
    }
  }

  /**
   * The engine has started a lost host's guest on another host. That decision is the engine's, because it can prove
   * that only one copy runs.
   */
  async #noteRescue(tx: Transaction, vm: VmIdentity): Promise<void> {
    const { clock } = this.#services;
    await reportLosses(tx, this.#services, { vmId: vm.id }, clock.now());
    const message = 'The VM was started on another host because its own could not be reached.';
    const subject = { account_id: vm.account_id, vm_id: vm.id };
    await recordSystemEvent(tx, clock, subject, 'warning', { type: 'vm.moved', message });
  }

  /**
   * Acts on findings that have stood for a while. Returns how many guests are missing, how many are unseen, and how many
   * VMs now show that they are off.
   */
  async #settle(vms: RecordedVm[], sights: Sights) {
    const { logger } = this.#services;
    const counts = { missing: 0, unseen: 0, wentOff: 0 };
    const before = this.#findings;
    const now = this.#now().getTime();
    this.#findings = new Map();
    for (const vm of vms) {
      const finding = judgeGuest(vm, sights.get(vm.id));
      if (!finding) continue;
      if (finding === 'missing' || finding === 'unseen') counts[finding]++;
      const what = `${finding}/${vm.status}/${vm.last_job_id}`;
      const known = before.get(vm.id);
      const entry = known?.what === what ? known : { what, since: now, settled: false };
      this.#findings.set(vm.id, entry);
      if (entry.settled || now - entry.since < BELIEVED_AFTER_MS) continue;
      const work = async () => {
        const done = await settleGuest(this.#services, vm, finding);
        // These two findings are only reported, and only once.
        entry.settled = done || finding === 'missing' || finding === 'unseen';
        if (entry.settled)
          logger.warn(
            { vm_id: vm.id, status: vm.status, finding },
            'the states of a VM and its guest differed',
          );
        if (done && finding === 'off') counts.wentOff++;
      };
      await this.#failures.attempt('reconcile_guests', work, vm.id);
    }
    return counts;
  }

  /** Starts VMs that should run, as many at once as the host can boot. The others follow as those finish booting. */
  async #restart(
    vms: RecordedVm[],
    sights: Sights,
    beingStarted: string[],
    policy: RestartPolicy,
  ): Promise<void> {
    this.#backlog = false;
    if (policy.policy === 'never') return;
    const now = this.#now();
    const due = vms.filter((vm) => sights.get(vm.id) === 'off' && mayRestart(vm, now));
    if (due.length === 0) return;
    const booting = new Set(beingStarted);
    for (const [id, power] of sights) if (power === 'booting') booting.add(id);
    const room = Math.max(0, policy.atOnce - booting.size);
    // VMs that have failed to start most often come last.
    due.sort((a, b) => a.restart_attempts - b.restart_attempts);
    this.#backlog = due.length > room;
    for (const { id } of due.slice(0, room)) {
      const work = () => withLockedVm(this.#services.db, id, (tx, vm) => this.#start(tx, vm, policy));
      await this.#failures.attempt('restart_vms', work, id);
    }
  }

  async #start(tx: Transaction, vm: VmRow, policy: RestartPolicy) {
    const { clock } = this.#services;
    const now = clock.now();
    if (!mayRestart(vm, now)) return;
    const next = nextRestart(vm.restart_attempts, now, policy);
    const job = await startSystemJob({ db: tx, services: this.#services, now }, vm, { kind: 'start' });
    await updateVm(tx, vm.id, next, now);
    const times =
      next.restart_attempts === 1 ? '' : `, for the ${ordinal(next.restart_attempts)} time in a row`;
    await recordSystemEvent(tx, clock, job, 'info', {
      type: 'vm.start_requested',
      message: `The service is restarting the VM${times}: it should be running but was off.`,
      metadata: { attempt: next.restart_attempts, next_attempt_at: next.restart_next_at.toISOString() },
    });
  }

  #now(): Date {
    return this.#services.clock.now();
  }
}
