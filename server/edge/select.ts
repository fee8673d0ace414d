import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import { ConfigError } from '../platform/config-error.ts';
import type { EdgeDriver } from './driver.ts';
import { createNoEdge } from './off.ts';
import type { EdgeStore } from './simulator/store.ts';

export interface EdgeParts {
  clock: Clock;
  /** Where the simulator keeps its targets. */
  simulatorStore: EdgeStore;
  /** How many addresses are promised an edge. */
  countProtected(): Promise<number>;
}

/**
 * The DDoS edge that the configuration names. The simulator is the only one so far, so `auto` has nothing to choose
 * between. Throws {@link ConfigError} where there is to be none, although addresses are promised one.
 */
export async function selectEdge(
  config: Pick<Config, 'edge'>,
  { clock, simulatorStore, countProtected }: EdgeParts,
): Promise<EdgeDriver> {
  if (config.edge !== 'off') {
    const { createEdgeSimulator } = await import('./simulator/simulator.ts');
    return createEdgeSimulator({ store: simulatorStore, clock });
  }
  const count = await countProtected();
  if (count === 0) return createNoEdge(clock);
  throw new ConfigError([
    `VAUBAN_EDGE: ${count} ${count === 1 ? 'address is' : 'addresses are'} protected; before off, start once more with ` +
      'the edge that has them and switch them off with vaubanctl target mode or remove',
  ]);
}
