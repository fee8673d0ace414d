import type { Clock } from '../platform/clock.ts';
import { type EdgeDriver, type EdgeReading, EdgeUnavailableError } from './driver.ts';

/**
 * Returns the driver for an installation without an edge: it counts and drops nothing, and no address can be put
 * behind it.
 */
export function createNoEdge(clock: Clock): EdgeDriver {
  const nothing = async <Row>(): Promise<EdgeReading<Row>> => ({ epoch: 'off', at: clock.now(), rows: [] });
  const refuse = async (): Promise<never> => {
    throw new EdgeUnavailableError('this installation has no edge');
  };
  return {
    name: 'off',
    probe: async () => ({ ok: true, summary: 'edge: off, no address is protected' }),
    capabilities: () => ({
      rateUnits: [],
      ordering: 'priority',
      limitsSources: false,
      counts: false,
      maxRulesPerTarget: 0,
      prefixes: null,
    }),
    reconcile: async (targets) => (targets.length === 0 ? { targets: 0, rules: 0 } : refuse()),
    putTarget: refuse,
    removeTarget: async () => {},
    readTotals: nothing,
    readDetail: nothing,
    readRuleCounters: nothing,
    startPortSample: refuse,
    readPortSamples: async () => [],
    blackhole: refuse,
    close: async () => {},
  };
}
