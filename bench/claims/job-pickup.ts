import { notify } from '../../server/db/database.ts';
import {
  type Bench,
  type Engine,
  makePlace,
  openPlace,
  type Place,
  prepare,
  type Section,
  sharePlace,
} from '../bench.ts';
import { type Customer, makeCustomers } from '../customers.ts';
import { type Server, startService } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { quantile } from '../statistics.ts';

/** Number of VMs; each belongs to a customer who starts and stops it repeatedly. */
const CUSTOMERS = 4;
const JOBS_EACH = 75;
/**
 * A pick-up is two transactions with reads between them, whereas a notification is a single statement with nothing to
 * do afterwards. With the embedded engine it does not even leave its process, which is otherwise idle, so its median is
 * close to zero.
 */
const MAXIMUM: Record<Engine, { share: number; ratio: number }[]> = {
  postgres: [
    { share: 0.5, ratio: 8 },
    { share: 0.99, ratio: 8 },
  ],
  pglite: [
    { share: 0.5, ratio: 80 },
    { share: 0.99, ratio: 20 },
  ],
};
/** Longest wait of one long poll; every job here takes milliseconds. */
const WAIT = 'wait_seconds=30';

export const jobPickup: Section = {
  name: 'job-pickup',
  about:
    'from a job being created to a worker having it (started_at − created_at), against a NOTIFY being heard',
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
  const copy = sharePlace(place);
  await using service = await startService(place, { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' });
  await using bell = await openBell(copy);
  const turns = (await Promise.all(customers.map((customer) => workThrough(service, bell, customer)))).flat();
  return MAXIMUM[engine].map(({ share, ratio }) => {
    const pickUp = quantile(
      turns.map((turn) => turn.pickUpMs),
      share,
    );
    const ring = quantile(
      turns.map((turn) => turn.ringMs),
      share,
    );
    const detail = `${pickUp.toFixed(0)} ms ÷ ${ring.toFixed(1)} ms, ${turns.length} jobs`;
    const name = `job pick-up ÷ a notification, p${share * 100}, ${engine}`;
    return atMost(name, ratio, pickUp / ring, '×', detail);
  });
}

/** The wait of a job for its worker, and of a notification sent right before it for its listener. */
interface Turn {
  pickUpMs: number;
  ringMs: number;
}

interface Bell extends AsyncDisposable {
  /** Returns the milliseconds from sending a notification until it is heard. */
  ring(): Promise<number>;
}

async function openBell(place: Place): Promise<Bell> {
  const db = await openPlace(place);
  const heard = new Map<string, () => void>();
  const stop = await db.listen('bench', (payload) => heard.get(payload)?.());
  return {
    async ring() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const id = crypto.randomUUID();
      heard.set(id, resolve);
      const sentAt = performance.now();
      await Promise.all([notify(db, 'bench', id), promise]);
      heard.delete(id);
      return performance.now() - sentAt;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await db.close();
    },
  };
}

/** Buys a VM and runs power jobs on it one after the other, with a notification before each. */
async function workThrough(server: Server, bell: Bell, { keys }: Customer): Promise<Turn[]> {
  const call = <T>(method: string, path: string, body?: object) =>
    request<T>(server, keys[0]!, method, `/v1/vm${path}`, body);
  const order = { plan: 's1', template: 'debian-12', hostname: 'web-1', start: false };
  const { vm } = await call<{ vm: { id: string } }>('POST', '', order);
  await call('GET', `/${vm.id}?${WAIT}`);
  const turns: Turn[] = [];
  for (let n = 0; n < JOBS_EACH; n++) {
    const ringMs = await bell.ring();
    await call('POST', `/${vm.id}/${n % 2 === 0 ? 'start' : 'force-stop'}`, {});
    const { last_job } = await call<{ last_job: Job }>('GET', `/${vm.id}?${WAIT}`);
    turns.push({ pickUpMs: Date.parse(last_job.started_at) - Date.parse(last_job.created_at), ringMs });
  }
  return turns;
}

/** Returns the `data` of a 200; throws for any other status. */
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
