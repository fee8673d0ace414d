import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Bench, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers, storedVmId, storeVms } from '../customers.ts';
import { httpRequest, type LoadOrder, startLoadGenerator, throughput } from '../load.ts';
import { type Server, startHeldService } from '../process.ts';
import { type Claim, leftOut } from '../report.ts';
import { compare } from '../statistics.ts';

const IN_FLIGHT = 32;
const CUSTOMERS = 8;
const VMS_EACH = 1_000;
const ROUNDS = 7;
const ROUND_SECONDS = 1;
const WARM_UP_SECONDS = 3;
const CLAIM = 'GET /v1/vm/{id}, two nodes ÷ one node';
/** For two nodes, a database and the load generator. */
const CORES = 4;

export const nodes: Section = {
  name: 'nodes',
  about: 'requests a second of two nodes on one database against one',
  async run(bench) {
    return [bench.postgresUrl ? await measure(bench) : leftOut(CLAIM, 'nodes share a PostgreSQL server')];
  },
};

async function measure(bench: Bench): Promise<Claim> {
  const place = await makePlace(bench, 'postgres');
  const customers = await prepare(place, async (db) => {
    const made = await makeCustomers(db, CUSTOMERS);
    for (const [index, { accountId }] of made.entries())
      await storeVms(db, accountId, index * VMS_EACH, VMS_EACH);
    return made;
  });
  const shared = { ...place, VAUBAN_SECRET_KEY: randomBytes(32).toString('hex') };
  await using first = await startHeldService(shared);
  await using second = await startHeldService({
    ...shared,
    VAUBAN_DATA_DIR: `${place.VAUBAN_DATA_DIR}-second`,
  });
  using other = startLoadGenerator();
  const requests = Array.from({ length: VMS_EACH }, (_, n) =>
    customers.map(({ keys }, account) =>
      httpRequest('GET', `/v1/vm/${storedVmId(account * VMS_EACH + n)}`, keys[0]!),
    ),
  ).flat();
  const order = ({ port }: Server, inFlight: number, seconds: number): LoadOrder => ({
    port,
    requests,
    inFlight,
    seconds,
  });
  const byOne = async (seconds = ROUND_SECONDS) =>
    throughput(await bench.load.send(order(first, IN_FLIGHT, seconds)));
  const byTwo = async (seconds = ROUND_SECONDS) => {
    const reports = await Promise.all([
      bench.load.send(order(first, IN_FLIGHT / 2, seconds)),
      other.send(order(second, IN_FLIGHT / 2, seconds)),
    ]);
    return reports.reduce((sum, report) => sum + throughput(report), 0);
  };
  await byTwo(WARM_UP_SECONDS);
  const { ratio, a, b } = await compare(ROUNDS, byTwo, byOne);
  const cores = availableParallelism();
  const room = cores < CORES ? `, on ${cores} cores that they share with the database` : '';
  return {
    claim: CLAIM,
    target: 'told',
    measured: `${ratio.toFixed(2)} (${a}/s ÷ ${b}/s${room})`,
    passed: true,
  };
}
