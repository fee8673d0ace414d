import { type Bench, type Engine, makePlace, prepare, type Section } from '../bench.ts';
import { type Customer, makeCustomers } from '../customers.ts';
import { type Server, startService } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { quantile } from '../statistics.ts';

/** VMs, each started and stopped again and again by a customer of its own. */
const CUSTOMERS = 4;
const JOBS_EACH = 75;
const MAXIMUM_MS = 50;
/** Longest wait of one long-poll; every job here takes milliseconds. */
const WAIT = 'wait_seconds=30';

export const jobPickup: Section = {
  name: 'job-pickup',
  about: 'from a job being created to a worker having it (started_at − created_at)',
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines) claims.push(...(await measure(bench, engine)));
    return claims;
  },
};

interface Job {
  created_at: string;
  started_at: string;
}

async function measure(bench: Bench, engine: Engine): Promise<Claim[]> {
  const place = await makePlace(bench, engine);
  const customers = await prepare(place, (db) => makeCustomers(db, CUSTOMERS));
  await using service = await startService(place, { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' });
  const delays = (await Promise.all(customers.map((customer) => workThrough(service, customer)))).flat();
  const claim = (share: number) =>
    atMost(
      `job pick-up p${share * 100}, ${engine}`,
      MAXIMUM_MS,
      quantile(delays, share),
      'ms',
      `${delays.length} jobs`,
    );
  return [claim(0.5), claim(0.99)];
}

/** Buys a VM, runs power jobs on it one after the other, and returns how long each waited for its worker. */
async function workThrough(server: Server, { keys }: Customer): Promise<number[]> {
  const call = <T>(method: string, path: string, body?: object) =>
    request<T>(server, keys[0]!, method, `/v1/vm${path}`, body);
  const order = { plan: 's1', template: 'debian-12', hostname: 'web-1', start: false };
  const { vm } = await call<{ vm: { id: string } }>('POST', '', order);
  await call('GET', `/${vm.id}?${WAIT}`);
  const delays: number[] = [];
  for (let n = 0; n < JOBS_EACH; n++) {
    await call('POST', `/${vm.id}/${n % 2 === 0 ? 'start' : 'force-stop'}`, {});
    const { last_job } = await call<{ last_job: Job }>('GET', `/${vm.id}?${WAIT}`);
    delays.push(Date.parse(last_job.started_at) - Date.parse(last_job.created_at));
  }
  return delays;
}

/** The `data` of a 200; anything else throws. */
async function request<T>(server: Server, key: string, method: string, path: string, body?: object) {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (body) {
    headers['content-type'] = 'application/json';
    headers['idempotency-key'] = crypto.randomUUID();
  }
  const url = `http://127.0.0.1:${server.port}${path}`;
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  if (response.status !== 200)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: T }).data;
}
