import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../platform/clock.ts';
import type { ComputeDriver } from './driver.ts';
import { createSimulator } from './simulator/simulator.ts';

/** The compute engine that the configuration names; `auto` takes the best one that works here. */
export function selectCompute(config: Config, db: Database, clock: Clock): ComputeDriver {
  // The simulator is the only engine so far, so `auto` has nothing to choose between.
  return createSimulator({ db, clock, bootSeconds: config.simulatorBootSeconds });
}
