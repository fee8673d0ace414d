import { type Bench, type Engine, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers, storedVmId, storeVms } from '../customers.ts';
import { httpRequest } from '../load.ts';
import { residentMib, startHeldService } from '../process.ts';
import { atMost, type Claim } from '../report.ts';

const REQUESTS = 100_000;
const IN_FLIGHT = 32;
const VMS = 1_000;
/** Resident MiB. PGlite is a whole database server inside the process. */
const MAXIMUM: Record<Engine, number> = { pglite: 600, postgres: 200 };

export const memory: Section = {
  name: 'memory',
  about: `resident memory of the service after ${REQUESTS.toLocaleString('en')} requests`,
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines) claims.push(await measure(bench, engine));
    return claims;
  },
};

async function measure(bench: Bench, engine: Engine): Promise<Claim> {
  const place = await makePlace(bench, engine);
  const key = await prepare(place, async (db) => {
    const [customer] = await makeCustomers(db, 1);
    await storeVms(db, customer!.accountId, 0, VMS);
    return customer!.keys[0]!;
  });
  await using service = await startHeldService(place);
  const atStart = residentMib(service.child.pid!);
  const requests = Array.from({ length: VMS }, (_, n) => httpRequest('GET', `/v1/vm/${storedVmId(n)}`, key));
  await bench.load.send({ port: service.port, requests, inFlight: IN_FLIGHT, count: REQUESTS });
  const detail = `${atStart.toFixed(0)} MiB at the start`;
  return atMost(
    `resident memory, ${engine}`,
    MAXIMUM[engine],
    residentMib(service.child.pid!),
    'MiB',
    detail,
  );
}
