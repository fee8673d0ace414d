import type { HostInfo } from '../../server/compute/driver.ts';
import { type Database, sql } from '../../server/db/database.ts';
import { openHosts, recordHosts } from '../../server/db/queries/hosts/hosts.ts';
import { placeGuest } from '../../server/domain/hosts/place.ts';
import { type Bench, type Engine, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers, storeVms } from '../customers.ts';
import { atMost, type Claim, leftOut } from '../report.ts';
import { quantile } from '../statistics.ts';

const HOSTS = 1_000;
const VMS = 10_000;
const CUSTOMERS = 100;
const WARM_UP = 30;
const DECISIONS = 500;
const MAXIMUM_MS = 10;

const ENGINE = 'simulator';
const ZONE = 'eu-central-a';
/** The size of plan s1, which all VMs have; there is capacity for twice as many. */
const SIZE = { vcpu: 1, cores: 0, ram_mb: 1_024, disk_gb: 20 };
const TOTAL = { vcpu: 40, cores: 0, ramMb: 20 * 1_024, diskGb: 20 * 20 };

export const placement: Section = {
  name: 'placement',
  about: `choosing and holding one of ${HOSTS} hosts for a VM, beside ${VMS} others`,
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines)
      claims.push(engine === 'postgres' ? await measure(bench, engine) : leftOut(CLAIM(engine), TOO_SMALL));
    return claims;
  },
};

const CLAIM = (engine: Engine) => `a host for a VM, of ${HOSTS} with ${VMS} VMs, p99, ${engine}`;
const TOO_SMALL = 'an installation of that size has a PostgreSQL server';

const hostId = (n: number) => `host-${n}`;

function reportedHosts(): HostInfo[] {
  const capacity = { total: TOTAL, overhead: () => ({ ramMb: 100, diskGb: 0 }), zones: [ZONE] };
  return Array.from({ length: HOSTS }, (_, n) => ({
    id: hostId(n),
    name: hostId(n),
    reachable: true,
    capacity,
  }));
}

async function fill(db: Database): Promise<string[]> {
  const customers = await makeCustomers(db, CUSTOMERS);
  const accounts = customers.map(({ accountId }) => accountId);
  await storeVms(db, accounts[0]!, 0, VMS);
  const { vcpu, cores, ramMb: ram_mb, diskGb: disk_gb } = TOTAL;
  const hosts = reportedHosts().map(({ id, name, reachable, capacity: { zones } }) => ({
    ...{ id, name, reachable, zones },
    ...{ vcpu, cores, ram_mb, disk_gb },
  }));
  await db.transaction((tx) => recordHosts(tx, ENGINE, hosts, new Date()));
  await db.query(sql`
    update vms set host_id = 'host-' || (substr(id, 5)::bigint % ${HOSTS}::int),
      account_id = (${accounts}::text[])[1 + substr(id, 5)::bigint % ${CUSTOMERS}::int]`);
  await db.query(sql`
    insert into reservations (vm_id, vcpu, cores, ram_mb, disk_gb)
    select id, ${SIZE.vcpu}::int, 0, ${SIZE.ram_mb}::int, ${SIZE.disk_gb}::int from vms`);
  await db.script('vacuum analyze');
  return accounts;
}

async function measure(bench: Bench, engine: Engine): Promise<Claim> {
  const place = await makePlace(bench, engine);
  const times = await prepare(place, async (db) => {
    const accounts = await fill(db);
    const hosts = reportedHosts();
    const decide = (n: number) =>
      db.transaction(async (tx) => {
        const before = performance.now();
        const guest = { accountId: accounts[n % CUSTOMERS]!, size: SIZE, zones: [ZONE] };
        await placeGuest(tx, hosts, await openHosts(tx, ENGINE), guest);
        return performance.now() - before;
      });
    for (let n = 0; n < WARM_UP; n++) await decide(n);
    const all: number[] = [];
    for (let n = 0; n < DECISIONS; n++) all.push(await decide(n));
    return all;
  });
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(times, share)) as [number, number];
  return atMost(CLAIM(engine), MAXIMUM_MS, p99, 'ms', `p50 ${p50.toFixed(1)} ms`);
}
