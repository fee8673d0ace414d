import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { Namespace } from '../../compute/routed/support/namespace.ts';
import { defer } from '../../support/cleanup.ts';

/** Runs a program in a namespace, in its own process group; the returned function ends it like a crash. */
export async function running(
  t: TestContext,
  space: Namespace,
  words: string[],
): Promise<() => Promise<void>> {
  const [program, args] = space.command(...words);
  // A separate group: the program may have children that hold addresses or watch the service.
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
    if (process.env.VAUBAN_TEST_ROUTERS) process.stderr.write(`${words.join(' ')}\n${log}`);
  });
  return end;
}
