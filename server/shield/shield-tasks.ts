import { type Leadership, led } from '../cluster/leadership.ts';
import type { Database } from '../db/database.ts';
import type { EdgeDriver } from '../edge/driver.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Task } from '../platform/schedule.ts';
import { AttackDetector } from './detector.ts';
import type { EdgeReconciler } from './reconcile-edge.ts';
import { lookAfterReports } from './report.ts';
import { EdgeSampler } from './sample-edge.ts';

interface ShieldServices {
  clock: Clock;
  db: Database;
  edge: EdgeDriver;
  leadership: Leadership;
  logger: Logger;
  metrics: Metrics;
  shield: EdgeReconciler;
}

const SECOND = 1000;
/** Time a port sample needs to identify a flood: 4,000 packets at the lowest rate that counts as one. */
export const CLOSER_LOOK_MS = 100;

/** Returns the DDoS Shield's background tasks, which the leading node runs. */
export function shieldTasks(services: ShieldServices): Task[] {
  const { db, edge, clock, shield, leadership } = services;
  const sampler = new EdgeSampler({ db, edge });
  const detector = new AttackDetector({
    db,
    edge,
    clock,
    onRules: (targetId) => shield.kick(targetId),
    onEpoch: (epoch) => shield.noticeEpoch(epoch),
  });
  let isReady = false;
  return [
    { name: 'reconcile_edge', everyMs: SECOND, run: () => shield.reconcile() },
    {
      name: 'detect_attacks',
      everyMs: edge.readEveryMs ?? SECOND,
      async run(signal) {
        if (!(await leadership.holds())) {
          isReady = false;
          return detector.reset();
        }
        // An edge that has not been given any targets yet has nothing to read.
        if (!isReady) await shield.reconcile();
        isReady = true;
        if (!(await detector.tick())) return;
        await clock.sleep(CLOSER_LOOK_MS, signal);
        await detector.tick();
      },
    },
    ...[
      { name: 'sample_edge', everyMs: 10 * SECOND, run: () => sampler.sample(clock.now()) },
      { name: 'look_after_reports', everyMs: 10 * SECOND, run: () => lookAfterReports({ db, clock }) },
      { name: 'roll_up_edge', everyMs: 60 * SECOND, run: () => sampler.rollUp(clock.now()) },
    ].map((task) => led(leadership, task)),
  ];
}
