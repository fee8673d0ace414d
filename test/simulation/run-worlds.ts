import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Prng } from './prng.ts';

/** Operations per world. Worlds are small because every check reads all that has happened in one. */
export const WORLD_OPERATIONS = 5_000;
/** Keeps the compiled sources: the many processes load in half the time. */
const { NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/vauban-simulation') } =
  process.env;
/** A smaller world is not killed. */
const SMALLEST_KILLED = 1_000;
/** Operations that may have begun when the killing one did; none of them is begun again. */
const MAYBE_BEGUN = 50;

export interface Report {
  /** The instant at which the world ended. */
  now: string;
  /** Counts by operation and outcome, such as "create insufficient_funds". */
  outcomes: Record<string, number>;
}

/** A world: the place of its database, and the input that decides everything in it. */
export interface WorldPlan {
  /** Environment that makes a service use a fresh database. */
  env: object;
  seed: string;
  operations: number;
  /** True, the default, if its process is killed twice. */
  killed?: boolean;
  signal?: AbortSignal;
}

/** The operations at which a world's process is killed: two, each followed by another process. */
function killPoints(seed: string, operations: number): number[] {
  const prng = new Prng(`${seed}/kills`);
  return [1, 2].map((third) => Math.floor((third * operations) / 3 + prng.between(-100, 100)));
}

/** Runs a world in its own process, or in three if it is killed. Throws the problems found in it. */
export async function runWorld(plan: WorldPlan): Promise<Report> {
  const { seed, operations } = plan;
  const reports: Report[] = [];
  let from = 0;
  const isKilled = (plan.killed ?? true) && operations >= SMALLEST_KILLED;
  for (const killed of isKilled ? killPoints(seed, operations) : []) {
    reports.push(...(await live(plan, from, killed)));
    from = killed + MAYBE_BEGUN;
  }
  reports.push(...(await live(plan, from)));
  return { now: reports.at(-1)!.now, outcomes: total(reports) };
}

/** One process of a world, until it is done or killed; returns its reports, one per batch. */
async function live(
  { env, seed, operations, signal }: WorldPlan,
  from: number,
  killed?: number,
): Promise<Report[]> {
  const script = join(import.meta.dirname, 'run-world.ts');
  const args = [seed, operations, from, ...(killed === undefined ? [] : [killed])].map(String);
  const world = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE, ...env },
    signal,
  });
  const [output, errors] = [world.stdout, world.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  const [code, ended] = await once(world, 'close');
  if ((ended ?? code) !== (killed === undefined ? 0 : 'SIGKILL'))
    throw new Error(`world ${args.join(' ')} ended with ${ended ?? code}\n${(await errors)!.join('')}`);
  const lines = (await output)!.join('').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

export function total(reports: Report[]): Report['outcomes'] {
  const outcomes: Report['outcomes'] = {};
  for (const report of reports)
    for (const [outcome, count] of Object.entries(report.outcomes))
      outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
  return outcomes;
}

/** Successful and attempted operations by kind. */
export function summary({ outcomes }: Pick<Report, 'outcomes'>): string {
  const kinds = Map.groupBy(Object.entries(outcomes), ([outcome]) => outcome.split(' ')[0]!);
  return [...kinds]
    .map(([kind, entries]) => {
      const all = entries.reduce((sum, [, count]) => sum + count, 0);
      return `${kind} ${outcomes[`${kind} ok`] ?? 0}/${all}`;
    })
    .join(', ');
}
