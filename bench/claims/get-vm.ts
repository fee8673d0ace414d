import type { Bench, Engine, Section } from '../bench.ts';
import { makePlace, prepare, sharePlace } from '../bench.ts';
import { makeCustomers, storedVmId, storeVms } from '../customers.ts';
import { httpRequest, type LoadOrder, throughput } from '../load.ts';
import { startBareRoute, startHeldService } from '../process.ts';
import { atLeast, type Claim } from '../report.ts';
import { compare } from '../statistics.ts';

const IN_FLIGHT = 32;
const CUSTOMERS = 8;
const KEYS_EACH = 4;
const VMS_EACH = 1_000;
const ROUNDS = 9;
const ROUND_SECONDS = 1;
const WARM_UP_SECONDS = 3;
const MINIMUM_RATIO = 0.6;

/**
 * Checks that the work before the database query (key, address, scope, both limits) and after it (headers, metrics,
 * log) is cheap.
 */
export const getVm: Section = {
  name: 'get-vm',
  about: 'authenticated GET /v1/vm/{id} against a bare Fastify route with the same select',
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines) claims.push(await measure(bench, engine));
    return claims;
  },
};

async function measure(bench: Bench, engine: Engine): Promise<Claim> {
  const place = await makePlace(bench, engine);
  const customers = await prepare(place, async (db) => {
    const customers = await makeCustomers(db, CUSTOMERS, KEYS_EACH);
    for (const [index, { accountId }] of customers.entries())
      await storeVms(db, accountId, index * VMS_EACH, VMS_EACH);
    return customers;
  });
  const copy = sharePlace(place);
  await using service = await startHeldService(place);
  await using bare = await startBareRoute(copy, customers[0]!.accountId);

  const paths = Array.from(
    { length: VMS_EACH },
    (_, n) => (account: number) => `/v1/vm/${storedVmId(account * VMS_EACH + n)}`,
  );
  const ours = paths.flatMap((path, n) =>
    customers.map(({ keys }, account) => httpRequest('GET', path(account), keys[n % KEYS_EACH]!)),
  );
  const theirs = paths.map((path) => httpRequest('GET', path(0), 'none'));
  const rate = (port: number, requests: string[]) => async (seconds: number) => {
    const order: LoadOrder = { port, requests, inFlight: IN_FLIGHT, seconds };
    return throughput(await bench.load.send(order));
  };
  const serviceRate = rate(service.port, ours);
  const bareRate = rate(bare.port, theirs);
  await serviceRate(WARM_UP_SECONDS);
  await bareRate(WARM_UP_SECONDS);
  const { ratio, a, b } = await compare(
    ROUNDS,
    () => serviceRate(ROUND_SECONDS),
    () => bareRate(ROUND_SECONDS),
  );
  return atLeast(`GET /v1/vm/{id} ÷ bare route, ${engine}`, MINIMUM_RATIO, ratio, `${a}/s ÷ ${b}/s`);
}
