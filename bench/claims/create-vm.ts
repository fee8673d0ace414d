import { type Bench, type Engine, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers } from '../customers.ts';
import { httpRequest, throughput } from '../load.ts';
import { startService } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { quantile } from '../statistics.ts';

const IN_FLIGHT = 50;
/** Each with a separate account, because purchases of one account wait for each other by design. */
const CUSTOMERS = 200;
const WARM_UP_COUNT = 100;
const ALONE_COUNT = 200;
const COUNT = 1_000;
/**
 * The slowest of 50 at once may take twice as long as 50 in a row, because the jobs of all the others run at the same
 * time.
 */
const MAXIMUM_WAIT = 2;

export const createVm: Section = {
  name: 'create-vm',
  about: `POST /v1/vm at ${IN_FLIGHT} in flight, while the jobs of what was bought run, against one after another`,
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines) claims.push(await measure(bench, engine));
    return claims;
  },
};

async function measure(bench: Bench, engine: Engine): Promise<Claim> {
  const place = await makePlace(bench, engine);
  const customers = await prepare(place, (db) => makeCustomers(db, CUSTOMERS));
  await using service = await startService(place);
  const buy = (count: number, inFlight: number) => {
    const requests = Array.from({ length: count }, (_, n) => {
      const body = { plan: 's1', template: 'debian-12', hostname: `web-${n}`, password: 'correct-Horse-7' };
      return httpRequest('POST', '/v1/vm', customers[n % CUSTOMERS]!.keys[0]!, body);
    });
    return bench.load.send({ port: service.port, inFlight, requests, count });
  };
  await buy(WARM_UP_COUNT, IN_FLIGHT);
  const alone = throughput(await buy(ALONE_COUNT, 1));
  const report = await buy(COUNT, IN_FLIGHT);
  const turn = (IN_FLIGHT * 1_000) / alone;
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(report.latencies, share)) as [number, number];
  const rates = `${throughput(report).toFixed(0)}/s, one after another ${alone.toFixed(0)}/s`;
  const detail = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; ${rates}`;
  return atMost(
    `POST /v1/vm p99 ÷ ${IN_FLIGHT} bought one after another, ${engine}`,
    MAXIMUM_WAIT,
    p99 / turn,
    '×',
    detail,
  );
}
