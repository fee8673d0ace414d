import { settleAgentRuns } from '../agent/settle-runs.ts';
import type { Consoles } from '../consoles/consoles.ts';
import { CHECK_MS } from '../consoles/limits.ts';
import type { Authenticator } from '../platform/authentication.ts';
import type { Services } from '../services.ts';
import { adoptJobs, type Node } from './adopt-jobs.ts';
import { renewVms } from './renew-vms.ts';
import type { JobRunner } from './runner.ts';
import { MetricsSampler } from './sample-metrics.ts';
import type { Task } from './schedule.ts';
import { shieldTasks } from './shield-tasks.ts';
import { sweep } from './sweep.ts';
import { vacuum } from './vacuum.ts';

const SECOND = 1000;

/** Parts of a node, besides its services, that something has to be done with now and then. */
export interface TaskParts {
  node: Node;
  runner: JobRunner;
  authenticator: Authenticator;
  consoles: Consoles;
}

/** Everything that happens by itself, and how often. */
export function backgroundTasks(
  services: Services,
  { node, runner, authenticator, consoles }: TaskParts,
): Task[] {
  const { db, clock, network } = services;
  const sampler = new MetricsSampler(services);
  return [
    {
      name: 'adopt_jobs',
      everyMs: 2 * SECOND,
      atStart: true,
      async run() {
        await node.announce();
        await adoptJobs(db, (jobId) => runner.deliver(jobId));
      },
    },
    { name: 'reconcile_network', everyMs: 5 * SECOND, atStart: true, run: () => network.reconcile() },
    { name: 'renew_vms', everyMs: 30 * SECOND, run: () => renewVms(services) },
    { name: 'sample_metrics', everyMs: 10 * SECOND, run: () => sampler.sample(clock.now()) },
    { name: 'roll_up_metrics', everyMs: 60 * SECOND, run: () => sampler.rollUp(clock.now()) },
    { name: 'record_key_use', everyMs: 15 * SECOND, run: () => authenticator.flushLastUsed() },
    { name: 'check_consoles', everyMs: CHECK_MS, run: () => consoles.check() },
    { name: 'settle_agent_runs', everyMs: 10 * SECOND, run: () => settleAgentRuns(db, clock) },
    { name: 'vacuum', everyMs: 600 * SECOND, run: () => vacuum(db) },
    { name: 'sweep', everyMs: 60 * SECOND, run: () => sweep(services) },
    ...shieldTasks(services),
  ];
}
