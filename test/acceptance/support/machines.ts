import type { TestContext } from 'node:test';
import type { DatabaseLocation } from '../../support/database.ts';
import type { Client } from './client.ts';
import { ENGINE } from './engine.ts';
import type { Vm } from './shapes.ts';
import { newVm } from './world.ts';

/**
 * The VMs of the service under test: simulated, or real guests on this machine or on a cluster. The stories are the
 * same; these methods create situations that a customer cannot create through the API.
 */
export interface Machines {
  readonly settings: Record<string, string>;
  /** Returns a VM whose creation failed. */
  neverMade(client: Client): Promise<Vm>;
  /** Returns a running VM whose deletion never ends. */
  undeletable(client: Client): Promise<Vm>;
  /** Returns a running VM that does not respond. */
  silent(client: Client): Promise<Vm>;
}

/** The hostname tells the simulator which operation should fail. */
const SIMULATED: Machines = {
  // Enough capacity for everything; each order reserves its part as it does when capacity is scarce.
  settings: {
    VAUBAN_COMPUTE: 'simulator',
    VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
    VAUBAN_SIMULATOR_MEMORY_MB: '10000000',
  },
  neverMade: (client) => newVm(client, 'sim-fail-create'),
  undeletable: (client) => newVm(client, 'sim-fail-remove'),
  silent: (client) => newVm(client, 'sim-no-agent'),
};

/** Prepares machines of the tested engine for a service with its state at `location`. */
export async function readyMachines(t: TestContext, location: DatabaseLocation): Promise<Machines> {
  if (ENGINE === 'simulator') return SIMULATED;
  if (ENGINE === 'incus') {
    const { clusterMachines } = await import('./cluster-machines.ts');
    return clusterMachines(t);
  }
  const { realMachines } = await import('./real-machines.ts');
  return realMachines(t, location.env.VAUBAN_DATA_DIR);
}
