import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../platform/clock.ts';
import type { EdgeDriver } from './driver.ts';
import { createEdgeSimulator } from './simulator/simulator.ts';

/** The DDoS edge that the configuration names; `auto` takes the best one that works here. */
export function selectEdge(_config: Pick<Config, 'edge'>, db: Database, clock: Clock): EdgeDriver {
  // The simulator is the only edge so far, so `auto` has nothing to choose between.
  return createEdgeSimulator({ db, clock });
}
