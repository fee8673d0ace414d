import { createInterface } from 'node:readline';
import { type Bench, type Engine, makePlace, type Place, type Section } from '../bench.ts';
import { launchService, type Server, untilAnswered } from '../process.ts';
import { atMost, type Claim } from '../report.ts';
import { median } from '../statistics.ts';

const FIRST_STARTS = 3;
const LATER_STARTS = 5;
/** Milliseconds. PostgreSQL's own start is not part of it, PGlite's is. */
const MAXIMUM: Record<Engine, { first: number; later: number }> = {
  pglite: { first: 6_000, later: 1_500 },
  postgres: { first: 3_000, later: 1_500 },
};

export const start: Section = {
  name: 'start',
  about: 'from starting the process to the first 200 of a request with a key',
  async run(bench) {
    const claims: Claim[] = [];
    for (const engine of bench.engines) claims.push(...(await measure(bench, engine)));
    return claims;
  },
};

async function measure(bench: Bench, engine: Engine): Promise<Claim[]> {
  const first: number[] = [];
  let place!: Place;
  let key!: string;
  for (let n = 0; n < FIRST_STARTS; n++) {
    place = await makePlace(bench, engine, { migrated: false });
    const demo = await firstStart(place);
    first.push(demo.ms);
    key = demo.key;
  }
  const later: number[] = [];
  for (let n = 0; n < LATER_STARTS; n++) later.push(await laterStart(place, key));
  return [
    claim(`first start, ${engine}`, MAXIMUM[engine].first, first),
    claim(`later start, ${engine}`, MAXIMUM[engine].later, later),
  ];
}

function claim(name: string, maximum: number, samples: number[]): Claim {
  return atMost(
    name,
    maximum,
    median(samples),
    'ms',
    `worst of ${samples.length}: ${Math.max(...samples).toFixed(0)} ms`,
  );
}

/** A start with nothing there: until the service is ready, has shown its demo key and accepted it. */
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

/** The key in the service's output. */
function demoKey({ child }: Server): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const key = /"demo_key":"(vk_\w+)"/.exec(line)?.[1];
      if (key) resolve(key);
    });
  });
}
