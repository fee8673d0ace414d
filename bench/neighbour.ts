import type { Database } from '../server/db/database.ts';
import { type Bench, type Engine, makePlace, prepare } from './bench.ts';
import { type Customer, makeCustomers, storedVmId, storeVms } from './customers.ts';
import { httpRequest } from './load.ts';
import { type Server, startService } from './process.ts';
import { atMost, type Claim } from './report.ts';
import { median, quantile } from './statistics.ts';

/** Duration of each of the two measurements in seconds. */
const SECONDS = 12;
const WARM_UP_SECONDS = 2;
/** The neighbour's reads: few enough to leave the service idle, many enough for a p99. */
const READS_A_SECOND = 100;
/** Connections for them: if the service stalls for a third of a second, each read is still sent when it is due. */
const READERS = 32;
/** One customer may affect another by no more than this. */
const MAXIMUM_READ_RATIO = 3;
const MAXIMUM_CREATE_RATIO = 2;
/** A quiet time below this counts as this, in milliseconds, because it is only the machine's own noise. */
const READ_FLOOR_MS = 5;
const CREATE_FLOOR_MS = 50;
/** Number of the neighbour's stored VM, see {@link storedVmId}. */
const NEIGHBOURS_VM = 9_000_000;

/** A load that one customer puts on the service while another is measured. */
export interface Disturbance {
  /** Completes the sentence "a neighbour's reads during …". */
  name: string;
  /** Starts a service other than the usual one. */
  start?: typeof startService;
  settings?: Record<string, string>;
  /** True if the neighbour's purchases are measured too, from the order to the running VM. */
  creates?: boolean;
  /** Writes data for the disturbance before the service starts. */
  prepare?(db: Database, troublemaker: Customer): Promise<unknown>;
  /**
   * Resolves once the disturbance has begun; returns a function that ends it. Expensive work belongs in a separate
   * process (`startLoadGenerator`), because this one measures the purchases.
   */
  begin(server: Server, troublemaker: Customer): Promise<() => unknown>;
}

interface Neighbourhood {
  bench: Bench;
  server: Server;
  key: string;
  creates: boolean;
}

/** In milliseconds. */
interface Measurement {
  p50: number;
  p99: number;
  /** Median time from an order to a running VM. */
  create: number | undefined;
}

/**
 * Measures another customer's requests on a real service, first quiet, then during a disturbance, on each engine: the
 * p99 of cheap reads at a steady rate may grow to at most three times the quiet one, and purchases may take at most
 * twice as long.
 */
export async function measureNeighbour(bench: Bench, disturbance: Disturbance): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const engine of bench.engines) claims.push(...(await measureOn(bench, engine, disturbance)));
  return claims;
}

async function measureOn(bench: Bench, engine: Engine, disturbance: Disturbance): Promise<Claim[]> {
  const { name, settings, start = startService, creates = false } = disturbance;
  const place = await makePlace(bench, engine);
  const [neighbour, troublemaker] = await prepare(place, async (db) => {
    const customers = await makeCustomers(db, 2);
    await storeVms(db, customers[0]!.accountId, NEIGHBOURS_VM, 1);
    await disturbance.prepare?.(db, customers[1]!);
    return customers as [Customer, Customer];
  });
  await using server = await start(place, { VAUBAN_SIMULATOR_BOOT_SECONDS: '0', ...settings });
  const hood: Neighbourhood = { bench, server, key: neighbour.keys[0]!, creates };
  await measure(hood, WARM_UP_SECONDS);
  const quiet = await measure(hood, SECONDS);
  const end = await disturbance.begin(server, troublemaker);
  try {
    const during = await measure(hood, SECONDS);
    return claimsOf(`${name}, ${engine}`, quiet, during);
  } finally {
    await end();
  }
}

async function measure(hood: Neighbourhood, seconds: number): Promise<Measurement> {
  const { bench, server, key, creates } = hood;
  const requests = [httpRequest('GET', `/v1/vm/${storedVmId(NEIGHBOURS_VM)}`, key)];
  const order = { port: server.port, requests, inFlight: READERS, perSecond: READS_A_SECOND, seconds };
  const [{ latencies }, purchases] = await Promise.all([
    bench.load.send(order),
    creates ? buyAll(hood, performance.now() + seconds * 1000) : [],
  ]);
  return {
    p50: median(latencies),
    p99: quantile(latencies, 0.99),
    create: creates ? median(purchases) : undefined,
  };
}

/** Buys one VM after another, at least one, until the given time. */
async function buyAll({ server, key }: Neighbourhood, until: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length === 0 || performance.now() < until) {
    const startedAt = performance.now();
    const order = { plan: 's1', template: 'debian-12', hostname: 'web-1', password: 'correct-Horse-7' };
    const { vm } = await call<{ vm: { id: string } }>(server, key, '/v1/vm', order);
    let status = '';
    while (status !== 'running') {
      ({ status } = await call<{ status: string }>(server, key, `/v1/vm/${vm.id}?wait_seconds=30`));
    }
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Returns the `data` of a 200; throws for any other status. */
async function call<T>(server: Server, key: string, path: string, body?: object): Promise<T> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
  };
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    body: body && JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: T }).data;
}

function claimsOf(name: string, quiet: Measurement, during: Measurement): Claim[] {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const reads = atMost(
    `a neighbour's reads during ${name}: p99 ÷ quiet`,
    MAXIMUM_READ_RATIO,
    during.p99 / Math.max(quiet.p99, READ_FLOOR_MS),
    '×',
    `p99 ${ms(during.p99)}, quiet ${ms(quiet.p99)}; p50 ${ms(during.p50)}, quiet ${ms(quiet.p50)}`,
  );
  if (quiet.create === undefined || during.create === undefined) return [reads];
  const creates = atMost(
    `a neighbour's purchases during ${name}: ÷ quiet`,
    MAXIMUM_CREATE_RATIO,
    during.create / Math.max(quiet.create, CREATE_FLOOR_MS),
    '×',
    `${ms(during.create)} to a running VM, quiet ${ms(quiet.create)}`,
  );
  return [reads, creates];
}
