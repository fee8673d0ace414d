import type { Authenticator } from '../access/authentication.ts';
import { reapOrphanedRuns } from '../agent/reap-orphaned-runs.ts';
import type { EngineClaim } from '../cluster/engine-claim.ts';
import type { HostWatch } from '../cluster/host-watch.ts';
import { led } from '../cluster/leadership.ts';
import { type Node, PRESENCE_MS } from '../cluster/membership.ts';
import type { Consoles } from '../consoles/consoles.ts';
import { CHECK_MS } from '../consoles/limits.ts';
import { moneyRefusal } from '../db/known-books.ts';
import { countStuckJobs } from '../db/queries/service/stuck-jobs.ts';
import { OpsKeyReplacement } from '../guest-ssh/replace-ops-key.ts';
import { type Destinations, emptyHosts } from '../jobs/reconcilers/empty-hosts.ts';
import { OrphanedJobRecovery } from '../jobs/recover-orphaned-jobs.ts';
import type { JobRunner } from '../jobs/runner.ts';
import { announceAttacks } from '../jobs/timers/announce-attacks.ts';
import { auditDaily } from '../jobs/timers/audit-books.ts';
import { creditLostHosts } from '../jobs/timers/credit-lost-hosts.ts';
import { warnOfKeyExpiry } from '../jobs/timers/key-expiry.ts';
import { watchMoney } from '../jobs/timers/overdue-orders.ts';
import { PriceNotices } from '../jobs/timers/price-notices.ts';
import { ExpiredPurge } from '../jobs/timers/purge-expired.ts';
import { renewVms } from '../jobs/timers/renew-vms.ts';
import { giveRenewalNotices } from '../jobs/timers/renewal-notices.ts';
import { throttleTraffic } from '../jobs/timers/throttle-traffic.ts';
import { giveTrafficNotices } from '../jobs/timers/traffic-notices.ts';
import { vacuum } from '../jobs/timers/vacuum.ts';
import { watchCapacity } from '../jobs/timers/watch-capacity.ts';
import { DiskWatch } from '../jobs/timers/watch-disks.ts';
import { MetricsSampler } from '../metering/sample-metrics.ts';
import { lookAfterPayments } from '../payments/tasks.ts';
import { Failures } from '../platform/failures.ts';
import type { Task } from '../platform/schedule.ts';
import { shieldTasks } from '../shield/shield-tasks.ts';
import type { Services } from './services.ts';

const SECOND = 1000;

/** The parts of a node, besides its services, that background tasks use. */
export interface TaskParts {
  node: Node;
  claim: EngineClaim;
  hosts: HostWatch;
  runner: JobRunner;
  authenticator: Authenticator;
  consoles: Consoles;
}

/** Returns everything that runs on a timer, with its interval. */
export function backgroundTasks(
  services: Services,
  { node, claim, hosts, runner, authenticator, consoles }: TaskParts,
): Task[] {
  const { db, clock, metrics, network, forwards, guests, leadership } = services;
  const adoption = new OrphanedJobRecovery({ db, clock });
  const failures = new Failures(services);
  const purge = new ExpiredPurge(services, failures);
  const opsKeyReplacement = new OpsKeyReplacement(services, failures);
  const priceNotices = new PriceNotices(services, failures);
  const sampler = new MetricsSampler(services);
  const disks = new DiskWatch(services);
  const destinations: Destinations = new Map();
  return [
    // Separate, so that no other task can delay it: other nodes must not consider this one dead.
    { name: 'presence', everyMs: PRESENCE_MS, run: () => node.check() },
    {
      name: 'adopt_jobs',
      everyMs: 2 * SECOND,
      atStart: true,
      async run() {
        await adoption.run();
        await runner.fill();
        metrics.jobsStuck(await countStuckJobs(db));
      },
    },
    { name: 'watch_disks', everyMs: 30 * SECOND, atStart: true, run: () => disks.run() },
    { name: 'hold_engine', everyMs: 2 * SECOND, run: () => claim.hold() },
    { name: 'record_key_use', everyMs: 15 * SECOND, run: () => authenticator.flushLastUsed() },
    { name: 'check_consoles', everyMs: CHECK_MS, run: () => consoles.check() },
    { name: 'settle_agent_runs', everyMs: 10 * SECOND, run: () => reapOrphanedRuns(services, failures) },
    // More often than the daily audit, so that a restarted node soon reports the latest findings.
    { name: 'audit_books', everyMs: 600 * SECOND, run: () => auditDaily(services) },
    { name: 'watch_money', everyMs: 30 * SECOND, run: () => watchMoney(services) },
    { name: 'watch_capacity', everyMs: 30 * SECOND, atStart: true, run: () => watchCapacity(services) },
    { name: 'vacuum', everyMs: 600 * SECOND, run: () => vacuum(db) },
    // If only this node reaches its guests, it handles them itself, whichever node leads. If nodes share guests, only
    // the leader does, because otherwise each node would handle every guest.
    ...[
      {
        name: 'reconcile_network',
        everyMs: 5 * SECOND,
        atStart: true as const,
        run: () => network.reconcile(),
      },
      { name: 'watch_hosts', everyMs: 5 * SECOND, run: () => hosts.run() },
      { name: 'empty_hosts', everyMs: 5 * SECOND, run: () => emptyHosts(services, failures, destinations) },
      { name: 'sample_metrics', everyMs: 10 * SECOND, run: () => sampler.sample(clock.now()) },
    ].map((task) => (claim.isAlone ? task : led(leadership, task))),
    // Each node has its own gateway, or none.
    { name: 'reconcile_forwards', everyMs: 5 * SECOND, run: () => forwards.apply() },
    { name: 'reconcile_guests', everyMs: 10 * SECOND, atStart: true, run: () => guests.run() },
    ...[
      { name: 'renew_vms', everyMs: 30 * SECOND, run: () => renewVms(services, failures) },
      {
        name: 'renewal_notices',
        everyMs: 60 * SECOND,
        run: () => giveRenewalNotices(services, failures),
      },
      { name: 'price_notices', everyMs: 60 * SECOND, run: () => priceNotices.run() },
      { name: 'traffic_notices', everyMs: 300 * SECOND, run: () => giveTrafficNotices(services, failures) },
      { name: 'throttle_traffic', everyMs: 60 * SECOND, run: () => throttleTraffic(services, failures) },
      { name: 'credit_lost_hosts', everyMs: 60 * SECOND, run: () => creditLostHosts(services, failures) },
      {
        name: 'payments',
        everyMs: 30 * SECOND,
        run: (signal: AbortSignal) => lookAfterPayments(services, failures, signal),
      },
    ].map((task) => led(leadership, onceCounted(services, task))),
    ...[
      { name: 'roll_up_metrics', everyMs: 60 * SECOND, run: () => sampler.rollUp(clock.now()) },
      { name: 'replace_ops_key', everyMs: 30 * SECOND, run: () => opsKeyReplacement.run() },
      { name: 'announce_attacks', everyMs: SECOND, run: () => announceAttacks(services) },
      { name: 'send_mails', everyMs: 2 * SECOND, run: () => services.mails.run() },
      { name: 'warn_of_key_expiry', everyMs: 3600 * SECOND, run: () => warnOfKeyExpiry(services) },
      { name: 'sweep', everyMs: 60 * SECOND, run: () => purge.run() },
    ].map((task) => led(leadership, task)),
    ...shieldTasks(services),
  ];
}

/** Makes a task wait until it is known how the books count amounts, because it charges or states them. */
function onceCounted({ db, catalog }: Services, task: Task): Task {
  const run = async (signal: AbortSignal) => {
    if (!(await moneyRefusal(db, catalog.currency))) await task.run(signal);
  };
  return { ...task, run };
}
