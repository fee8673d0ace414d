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

/** Settings for a program in `bench/guests` that runs in the namespace that stands for a host. */
export interface SiteOrder {
  /** Directory for everything that it makes; removed at the end. */
  workspace: string;
  /** PostgreSQL if available, as in production. */
  engine: Engine;
}

/** Returns why nothing can be measured in network namespaces here, or false. */
export const whyNoSite = whyNot;

/** Returns why no guest can be measured here, or false. */
export async function whyNoGuests(): Promise<string | false> {
  return whyNoSite() || (await skipWithoutTinyImage());
}

/**
 * Runs a program of `bench/guests` on a separate host and returns its claims; `why` says why it cannot be measured, and
 * leaves it out.
 */
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

/** Runs a program of `bench/guests` in a network namespace and returns its claims. */
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
