import type { TestContext } from 'node:test';
import type { DatabaseLocation } from '../../support/database.ts';
import type { Client } from './client.ts';
import type { Vm } from './shapes.ts';
import { newVm } from './world.ts';

const ENGINES = ['simulator', 'qemu', 'incus'] as const;

/** What runs the VMs of the service under test: the environment says so, as it does of the database. */
export const ENGINE = ENGINES.find((engine) => engine === process.env.VAUBAN_TEST_COMPUTE) ?? 'simulator';

/**
 * What the service under test makes its VMs of: the simulator, or real guests, of this machine or of a cluster.
 * The stories are the same; what a customer cannot bring about by the API alone is brought about here.
 */
export interface Machines {
  /** The service's settings for them. */
  readonly settings: Record<string, string>;
  /** A VM that could not be made. */
  neverMade(client: Client): Promise<Vm>;
  /** A VM that runs, and whose deletion will never end. */
  undeletable(client: Client): Promise<Vm>;
  /** A VM that runs, and in which nothing answers. */
  silent(client: Client): Promise<Vm>;
}

/** The hostname tells the simulator what is to go wrong. */
const SIMULATED: Machines = {
  // Room for everything, of which each order takes its part as where there is little.
  settings: {
    VAUBAN_COMPUTE: 'simulator',
    VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
    VAUBAN_SIMULATOR_MEMORY_MB: '10000000',
  },
  neverMade: (client) => newVm(client, 'sim-fail-create'),
  undeletable: (client) => newVm(client, 'sim-fail-remove'),
  silent: (client) => newVm(client, 'sim-no-agent'),
};

/** Machines of the engine under test for a service that keeps its state at `location`. */
export async function readyMachines(t: TestContext, location: DatabaseLocation): Promise<Machines> {
  if (ENGINE === 'simulator') return SIMULATED;
  if (ENGINE === 'incus') {
    const { clusterMachines } = await import('./cluster-machines.ts');
    return clusterMachines(t);
  }
  const { realMachines } = await import('./real-machines.ts');
  return realMachines(t, location.env.VAUBAN_DATA_DIR);
}
