import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildCli } from '../../cli/build.ts';
import { createClient } from '../../sdk/src/index.ts';
import { type Bench, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers, storeVms } from '../customers.ts';
import { startHeldService } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { median } from '../statistics.ts';

const STARTS = 21;
const ROUNDS = 31;
/** Rounds in which both warm up, which do not count. */
const WARM_UP = 5;
const REQUESTS_A_ROUND = 60;
const MAXIMUM_START_MS = 150;
const MAXIMUM_OVERHEAD = 1.1;

const run = promisify(execFile);

export const clients: Section = {
  name: 'clients',
  about: 'what `vauban` adds to curl, as packed, and `@vauban/client` to a bare fetch',
  async run(bench) {
    const [engine] = bench.engines;
    const place = await makePlace(bench, engine!);
    const customer = await prepare(place, async (db) => {
      const [customer] = await makeCustomers(db, 1);
      await storeVms(db, customer!.accountId, 0, 20);
      return customer!;
    });
    await using service = await startHeldService(place);
    const at = { url: `http://127.0.0.1:${service.port}`, key: customer.keys[0]! };
    return [await startOfCli(bench, at), await overheadOfSdk(at)];
  },
};

interface At {
  url: string;
  key: string;
}

/** The two run alternately, so that load on the machine affects both. */
async function startOfCli({ workspace }: Bench, { url, key }: At): Promise<Claim> {
  const directory = join(workspace, 'cli');
  await buildCli(directory);
  const program = join(directory, 'vauban.js');
  const env = { PATH: process.env.PATH, VAUBAN_URL: url, VAUBAN_API_KEY: key };
  const curl = ['-sS', '-o', '/dev/null', '-H', `Authorization: Bearer ${key}`, `${url}/v1/vm?limit=100`];
  const pairs: { cli: number; curl: number }[] = [];
  for (let n = 0; n < STARTS; n++)
    pairs.push({
      curl: await timed(() => run('curl', curl)),
      cli: await timed(() => run(process.execPath, [program, 'vm', 'list'], { env })),
    });
  const of = (name: 'cli' | 'curl') => `${median(pairs.map((pair) => pair[name])).toFixed(0)} ms`;
  const bundle = readFileSync(program);
  const size = `${(bundle.length / 1024).toFixed(0)} KiB, ${(gzipSync(bundle).length / 1024).toFixed(0)} KiB gzipped`;
  const added = median(pairs.map(({ cli, curl }) => cli - curl));
  return atMost(
    'vauban vm list, cold, minus curl',
    MAXIMUM_START_MS,
    added,
    'ms',
    `${of('cli')} - ${of('curl')}; ${size}`,
  );
}

/** Alternates requests with a small response: the larger the response, the less the client matters. */
async function overheadOfSdk({ url, key }: At): Promise<Claim> {
  const client = createClient({ baseUrl: url, apiKey: key, requestsPerMinute: 10_000_000 });
  const bare = async () => {
    const response = await fetch(`${url}/v1/billing/wallet`, { headers: { authorization: `Bearer ${key}` } });
    return JSON.parse(await response.text());
  };
  const ask = () => client.billing.wallet();
  const ratios: number[] = [];
  const perRequest: number[] = [];
  for (let n = 0; n < WARM_UP + ROUNDS; n++) {
    // Each goes first equally often.
    const [first, second] = n % 2 ? [bare, ask] : [ask, bare];
    const a = await timed(() => repeated(first!));
    const b = await timed(() => repeated(second!));
    if (n < WARM_UP) continue;
    ratios.push(n % 2 ? b / a : a / b);
    perRequest.push((n % 2 ? a : b) / REQUESTS_A_ROUND);
  }
  const detail = `bare ${median(perRequest).toFixed(2)} ms a request`;
  return atMost('@vauban/client ÷ bare fetch, getWallet', MAXIMUM_OVERHEAD, median(ratios), '×', detail);
}

async function repeated(ask: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < REQUESTS_A_ROUND; n++) await ask();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
