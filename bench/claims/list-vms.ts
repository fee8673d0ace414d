import { sealCursor } from '../../server/http/cursors.ts';
import { type Bench, type Engine, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers, storedVmId, storeVms } from '../customers.ts';
import { httpRequest } from '../load.ts';
import { startHeldService } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { median } from '../statistics.ts';

/** Number of VMs in the database, all of one account. */
const SIZES = [1_000, 100_000, 1_000_000];
const ROUNDS = 9;
const REQUESTS_A_ROUND = 40;
const MAXIMUM_GROWTH = 1.5;

/** Each returns a full page of 50, whatever the size. */
const QUERIES: Record<string, (stocked: Stocked) => string> = {
  'first page': () => '',
  'deep cursor': ({ accountId, size }) => `?cursor=${cursorAfter(accountId, size / 2)}`,
  'by status': () => '?status=error',
  'by status and region, deep cursor': ({ accountId, size }) =>
    `?status=error&region=eu-central&cursor=${cursorAfter(accountId, (size * 3) / 4)}`,
};

/** In the service's format, see `server/http/answer.ts`. */
const cursorAfter = (accountId: string, n: number) => sealCursor(`${accountId} listVms `, storedVmId(n));

export const listVms: Section = {
  name: 'list-vms',
  about: 'GET /v1/vm, 50 a page, as the number of VMs grows',
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines) claims.push(...(await measure(bench, engine)));
    return claims;
  },
};

interface Stocked extends AsyncDisposable {
  size: number;
  accountId: string;
  key: string;
  port: number;
}

async function stock(bench: Bench, engine: Engine, size: number): Promise<Stocked> {
  const place = await makePlace(bench, engine);
  const customer = await prepare(place, async (db) => {
    const [customer] = await makeCustomers(db, 1);
    await storeVms(db, customer!.accountId, 0, size);
    return customer!;
  });
  return { size, accountId: customer.accountId, key: customer.keys[0]!, ...(await startHeldService(place)) };
}

/** All sizes are served at the same time and queried in turn, so that noise affects all of them. */
async function measure(bench: Bench, engine: Engine): Promise<Claim[]> {
  await using stack = new AsyncDisposableStack();
  const stocked: Stocked[] = [];
  for (const size of SIZES) stocked.push(stack.use(await stock(bench, engine, size)));
  const claims: Claim[] = [];
  for (const [name, query] of Object.entries(QUERIES)) {
    const ask = async (stocked: Stocked) => {
      const { key, port } = stocked;
      const requests = [httpRequest('GET', `/v1/vm${query(stocked)}`, key)];
      return (await bench.load.send({ port, requests, inFlight: 1, count: REQUESTS_A_ROUND })).latencies;
    };
    for (const one of stocked) await ask(one);
    const latencies = stocked.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, one] of stocked.entries()) latencies[index]!.push(...(await ask(one)));
    }
    const medians = latencies.map(median);
    const detail = stocked.map(
      ({ size }, index) => `${medians[index]!.toFixed(1)} ms at ${size.toLocaleString('en')}`,
    );
    const growth = Math.max(...medians) / medians[0]!;
    claims.push(
      atMost(`GET /v1/vm ${name}, growth, ${engine}`, MAXIMUM_GROWTH, growth, '×', detail.join(', ')),
    );
  }
  return claims;
}
