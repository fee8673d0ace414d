import { after } from 'node:test';
import { createClusters } from '../../server/compute/incus/clusters.ts';
import { sql } from '../../server/db/database.ts';
import type { ManualClock } from '../../server/platform/clock.ts';
import { FIRST, SECOND, SimulatedCluster } from '../hosts/clusters-support.ts';
import { simulatedContract } from './simulated-contract.ts';
import { BOOT_SECONDS, guestSpec, openTestDatabase } from './support.ts';

const db = await openTestDatabase();
after(() => db.close());

const STOCK = { bootSeconds: BOOT_SECONDS, shutdownSeconds: undefined, capacity: { ramMb: 65_536 } };
const [CENTRAL, WEST] = ['central', 'west'];

/** Both clusters behind one driver. Guests are recorded when they are created. */
function join(clock: ManualClock) {
  const templates = [guestSpec().template];
  // The contract creates its guests on the first host; the first cluster has none, so that is a host of the second.
  const [first, second] = [{ ...FIRST, members: [] }, SECOND].map(
    (kind) => new SimulatedCluster(db, clock, { ...kind, ...STOCK, templates }),
  );
  const record = {
    id: `simulator:${SECOND.id}`,
    region: WEST!,
    endpoints: ['https://10.1.0.1:8443'],
    certificate: null,
    project: 'default',
    network: 'b0',
    pool: 'default',
    serviceNetworks: [],
    cpuOvercommit: 4,
  };
  return createClusters({
    clock,
    logger: { warn: () => {} },
    regions: [CENTRAL, WEST].map((code) => ({ code: code!, zones: [`${code}-a`] })),
    first: { driver: first!.driver, endpoints: ['https://10.0.0.1:8443'] },
    open: () => second!.driver,
    idOf: async () => SECOND.id,
    store: {
      clusters: async () => [record],
      async hostsOf(ids) {
        const rows = await db.query<{ id: string; host: string }>(
          sql`select id, state->>'host' as host from simulator_guests where id = any(${ids}::text[])`,
        );
        return new Map(rows.map(({ id, host }) => [id, host]));
      },
      hostsIn: async () => [],
      guestsIn: async () => [],
      onlyEngine: async () => undefined,
    },
  });
}

// Several clusters together keep the contract of a single one; the guest is in the second.
simulatedContract('two clusters', {
  db,
  open: join,
  place: { hostId: `simulator:${SECOND.id}:m1`, region: WEST },
});
