import { led } from '../cluster/leadership.ts';
import type { Task } from '../jobs/timers/schedule.ts';
import type { Services } from '../services.ts';
import { AttackDetector } from './detector.ts';
import { EdgeSampler } from './sample-edge.ts';

const SECOND = 1000;

/** What the DDoS Shield does by itself, on the node that leads. */
export function shieldTasks(services: Services): Task[] {
  const { db, edge, clock, shield, leadership } = services;
  const sampler = new EdgeSampler({ db, edge });
  const detector = new AttackDetector({
    db,
    edge,
    clock,
    onRules: (targetId) => shield.kick(targetId),
    onEpoch: (epoch) => shield.noticeEpoch(epoch),
  });
  return [
    { name: 'reconcile_edge', everyMs: SECOND, run: () => shield.reconcile() },
    {
      name: 'detect_attacks',
      everyMs: SECOND,
      async run() {
        if (await leadership.holds()) await detector.tick();
        else detector.reset();
      },
    },
    ...[
      { name: 'sample_edge', everyMs: 10 * SECOND, run: () => sampler.sample(clock.now()) },
      { name: 'roll_up_edge', everyMs: 60 * SECOND, run: () => sampler.rollUp(clock.now()) },
    ].map((task) => led(leadership, task)),
  ];
}
