import { type Bench, type Engine, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers } from '../customers.ts';
import { httpRequest, throughput } from '../load.ts';
import { startService } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { quantile } from '../statistics.ts';

const IN_FLIGHT = 50;
/** Of an account of its own each, as customers are; one account's purchases wait for each other by design. */
const CUSTOMERS = 200;
const WARM_UP_COUNT = 100;
const COUNT = 1_000;
/** Milliseconds. On PGlite the jobs of the VMs already bought share its one connection. */
const MAXIMUM_P99: Record<Engine, number> = { postgres: 500, pglite: 2_000 };

export const createVm: Section = {
  name: 'create-vm',
  about: `POST /v1/vm at ${IN_FLIGHT} in flight, while the jobs of what was bought run`,
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
  const buy = (count: number) => {
    const requests = Array.from({ length: count }, (_, n) => {
      const body = { plan: 's1', template: 'debian-12', hostname: `web-${n}`, password: 'correct-Horse-7' };
      return httpRequest('POST', '/v1/vm', customers[n % CUSTOMERS]!.keys[0]!, body);
    });
    return bench.load.send({ port: service.port, inFlight: IN_FLIGHT, requests, count });
  };
  await buy(WARM_UP_COUNT);
  const report = await buy(COUNT);
  const p50 = quantile(report.latencies, 0.5).toFixed(0);
  const detail = `p50 ${p50} ms, ${throughput(report).toFixed(0)}/s`;
  const p99 = quantile(report.latencies, 0.99);
  return atMost(`POST /v1/vm p99, ${engine}`, MAXIMUM_P99[engine], p99, 'ms', detail);
}
