import { createInterface } from 'node:readline';
import { type Bench, type Engine, makePlace, type Place, type Section } from '../bench.ts';
import { launchService, openBareEngine, type Server, untilAnswered } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { median } from '../statistics.ts';

const FIRST_STARTS = 3;
const LATER_STARTS = 5;
/** PostgreSQL's own start is part of neither, PGlite's of both. */
const MAXIMUM: Record<Engine, { first: number; later: number }> = {
  pglite: { first: 6, later: 3 },
  postgres: { first: 10, later: 6 },
};

export const start: Section = {
  name: 'start',
  about:
    'from starting the process to the first 200 of a request with a key, against opening the bare engine',
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines) claims.push(...(await measure(bench, engine)));
    return claims;
  },
};

/** A start, and right before it the opening of the bare engine, so that load on the machine affects both. */
interface Pair {
  bareMs: number;
  startMs: number;
}

async function measure(bench: Bench, engine: Engine): Promise<Claim[]> {
  const first: Pair[] = [];
  let place!: Place;
  let key!: string;
  for (let n = 0; n < FIRST_STARTS; n++) {
    const bareMs = await openBareEngine(await makePlace(bench, engine, { migrated: false }));
    place = await makePlace(bench, engine, { migrated: false });
    const demo = await firstStart(place);
    first.push({ bareMs, startMs: demo.ms });
    key = demo.key;
  }
  const later: Pair[] = [];
  for (let n = 0; n < LATER_STARTS; n++)
    later.push({ bareMs: await openBareEngine(place), startMs: await laterStart(place, key) });
  return [
    claim(`first start ÷ opening the bare engine, ${engine}`, MAXIMUM[engine].first, first),
    claim(`later start ÷ opening the bare engine, ${engine}`, MAXIMUM[engine].later, later),
  ];
}

function claim(name: string, maximum: number, pairs: Pair[]): Claim {
  const ms = (values: number[]) => `${median(values).toFixed(0)} ms`;
  const detail = `${ms(pairs.map(({ startMs }) => startMs))} ÷ ${ms(pairs.map(({ bareMs }) => bareMs))}`;
  const ratio = median(pairs.map(({ bareMs, startMs }) => startMs / bareMs));
  return atMost(name, maximum, ratio, '×', detail);
}

/** Measures a start from nothing, until the service is ready, has shown its demo key and accepted it. */
async function firstStart(place: Place): Promise<{ ms: number; key: string }> {
  const startedAt = performance.now();
  await using service = await launchService(place);
  const shown = demoKey(service);
  await untilAnswered(service, '/readyz');
  const key = await shown;
  await untilAnswered(service, '/v1/vm', key);
  return { ms: performance.now() - startedAt, key };
}

async function laterStart(place: Place, key: string): Promise<number> {
  const startedAt = performance.now();
  await using service = await launchService(place);
  service.child.stdout!.resume();
  await untilAnswered(service, '/v1/vm', key);
  return performance.now() - startedAt;
}

/** Returns the demo key from the service's output. */
function demoKey({ child }: Server): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const key = /"demo_key":"(vk_\w+)"/.exec(line)?.[1];
      if (key) resolve(key);
    });
  });
}
