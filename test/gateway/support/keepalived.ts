import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { read } from '../../support/source.ts';
import type { Gateway } from './region.ts';

/** The configuration of the documentation, for a gateway of a test: its interfaces, and where its service listens. */
function configuration(index: number, operatorSocket: string): string {
  const text = read('deploy/keepalived/keepalived.conf')
    .replaceAll('eth0', 'w0')
    .replaceAll('eth1', 'l0')
    .replace('script_user nobody', 'script_user root')
    .replace('http://127.0.0.1:8081/', `--unix-socket ${operatorSocket} http://localhost/`);
  if (index === 0) return text;
  const swapped = text.replaceAll(/\.1([12])$/gm, (_, last) => (last === '1' ? '.12' : '.11'));
  return swapped.replaceAll('priority 100', 'priority 95');
}

/** Runs keepalived on a gateway; the result ends it as a crash would. */
export async function keepAlive(
  t: TestContext,
  gateway: Gateway,
  { index, operatorSocket }: { index: number; operatorSocket: string },
): Promise<() => Promise<void>> {
  const at = (name: string) => join(gateway.directory, name);
  await writeFile(at('keepalived.conf'), configuration(index, operatorSocket));
  const pids = ['-p', at('keepalived.pid'), '-r', at('vrrp.pid')];
  const words = ['keepalived', '-n', '-l', '-P', '-f', at('keepalived.conf'), ...pids];
  const [program, args] = gateway.space.command(...words);
  // A group of its own: it has a child that holds the addresses.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = once(child, 'exit');
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid!, 'SIGKILL');
    await ended;
  };
  defer(t, async () => {
    await end();
    if (process.env.DEBUG_KEEPALIVED) process.stderr.write(log);
  });
  return end;
}
