import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { whyNot } from '../test/compute/routed/support/env.ts';
import { machines } from '../test/qemu/support/machines.ts';
import { openSite } from '../test/qemu/support/site.ts';
import { defer, type Lifetime } from '../test/support/cleanup.ts';
import { skipWithoutTinyImage } from '../test/support/tiny-image.ts';
import type { Bench, Engine } from './bench.ts';
import { during } from './lifetime.ts';
import { type Claim, leftOut } from './report.ts';

/** The settings of a program of `bench/guests`, in the namespace that stands for a host. */
export interface SiteOrder {
  /** Of everything that it makes; removed at the end. */
  workspace: string;
  /** PostgreSQL where there is one, as in production. */
  engine: Engine;
}

/** Why nothing can be measured with network namespaces here, or false. */
export const whyNoSite = whyNot;

/** Why no guest can be measured here, or false. */
export async function whyNoGuests(): Promise<string | false> {
  return whyNoSite() || (await skipWithoutTinyImage());
}

/** What a program of `bench/guests` measures, on a host of its own; `why` it cannot be measured leaves it out. */
export async function atSite(
  bench: Bench,
  program: string,
  about: string,
  why: string | false,
): Promise<Claim[]> {
  if (why) return [leftOut(about, why)];
  return during(async (life) => {
    const workspace = mkdtempSync(join(bench.workspace, 's'));
    defer(life, async () => {
      for (const pid of await machines(workspace)) process.kill(pid, 'SIGKILL');
    });
    const { host } = await openSite(life);
    return measureIn(life, host.name, program, { workspace, engine: bench.engines[0]! });
  });
}

/** What a program of `bench/guests` measures in a network namespace. */
export async function measureIn(
  life: Lifetime,
  namespace: string,
  program: string,
  order: SiteOrder,
): Promise<Claim[]> {
  const script = join(import.meta.dirname, 'guests', program);
  const args = [`--net=/run/netns/${namespace}`, process.execPath, script];
  const child = spawn('nsenter', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exit = once(child, 'exit');
  defer(life, async () => {
    if (child.connected) child.disconnect();
    await exit;
  });
  child.send(order);
  const measured = once(child, 'message').then(([claims]) => claims as Claim[]);
  const failed = exit.then(([code]) => {
    throw new Error(`${program} ended with ${code}`);
  });
  failed.catch(() => {});
  return Promise.race([measured, failed]);
}
