import { after } from 'node:test';
import { computeContract } from '../../server/compute/contract.ts';
import { createClusters } from '../../server/compute/incus/clusters.ts';
import { sql } from '../../server/db/database.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { FIRST, SECOND, SimulatedCluster } from '../hosts/clusters-support.ts';
import { BOOT_SECONDS, guestSpec, MINUTE_MS, openTestDatabase, settle } from './support.ts';

const db = await openTestDatabase();
after(() => db.close());

const STOCK = { bootSeconds: BOOT_SECONDS, shutdownSeconds: undefined, capacity: { ramMb: 65_536 } };
const [CENTRAL, WEST] = ['central', 'west'];

/** Both clusters, the guests of which are recorded as they are made. */
function join(clock: ManualClock) {
  const templates = [guestSpec().template];
  // The contract makes its guests on the first host that there is, which is one of the second cluster.
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

// Of several clusters together the same is promised as of one: here for a guest of the second.
computeContract('two clusters', {
  shutdownSeconds: 60,
  testTimeoutMs: 120_000,
  async open() {
    const clock = new ManualClock();
    let driver = join(clock);
    const place = { hostId: `simulator:${SECOND.id}:m1`, region: WEST };
    return {
      driver,
      spec: () => guestSpec('web', place),
      unready: () => guestSpec('sim-no-ssh', place),
      user: 'debian',
      settle: (work) => settle(clock, work),
      async idle() {
        clock.advance(MINUTE_MS);
        await new Promise(setImmediate);
      },
      async deafen(id) {
        await db.query(sql`
          update simulator_guests set state = state || '{"hostname": "sim-ignores-shutdown"}' where id = ${id}`);
      },
      async hide(id) {
        const rename = (hostname: string) =>
          db.query(sql`
            update simulator_guests set state = state || jsonb_build_object('hostname', ${hostname}::text) where id = ${id}`);
        await rename('sim-out-of-sight');
        clock.advance(MINUTE_MS);
        return async () => void (await rename('web'));
      },
      async reopen() {
        await driver.close();
        driver = join(clock);
        return driver;
      },
      close: async () => {},
    };
  },
});
