import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { Namespace } from '../../compute/routed/support/namespace.ts';
import type { Lifetime } from '../../support/cleanup.ts';

/** The internet's and the host's ends of the wire. */
const INTERNET = '198.51.100.1';
const HOST = '198.51.100.2';
/** The name of the host's end. */
export const UPLINK = 'up0';
/**
 * The ranges that catalog.yaml sells and the addresses of port forwards: the internet routes all of them to the host.
 */
const ROUTED_HERE = ['100.64.0.0/14', '192.0.2.10'];
/** When their parent ends, all processes of the tests end, guests included, and all their mounts disappear. */
const CONFINED = [
  ...['setpriv', '--pdeathsig', 'KILL'],
  ...['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
];

/**
 * Opens a namespace for the host and one for the internet, connected by a wire. Nothing touches the machine's own
 * network.
 */
export async function openSite(t: Lifetime): Promise<{ host: Namespace; internet: Namespace }> {
  const [internet, host] = [await Namespace.make(t), await Namespace.make(t)];
  await internet.ip(
    `link add out0 type veth peer name ${UPLINK} netns ${host.name}`,
    `addr add ${INTERNET}/24 dev out0`,
    'link set out0 up',
    ...ROUTED_HERE.map((to) => `route add ${to} via ${HOST}`),
  );
  await host.ip(
    `addr add ${HOST}/24 dev ${UPLINK}`,
    `addr add 192.0.2.10/32 dev ${UPLINK}`,
    `link set ${UPLINK} up`,
    `route add default via ${INTERNET}`,
  );
  return { host, internet };
}

/**
 * Runs a test file, named relative to the folder of all tests, in the host's namespace: it must pass. It gets the
 * internet's namespace in VAUBAN_TEST_INTERNET, and has its own mounts.
 */
export async function runAtSite(
  t: TestContext,
  file: string,
  more: Record<string, string> = {},
): Promise<void> {
  const { host, internet } = await openSite(t);
  const test = join(import.meta.dirname, '../..', file);
  const [program, args] = host.command(...CONFINED, process.execPath, test);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(program, args, {
    // PostgreSQL listens outside this namespace.
    env: { ...env, VAUBAN_TEST_INTERNET: internet.name, VAUBAN_TEST_DATABASE_URL: '', ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  for (const [, words] of output.matchAll(/^ +ℹ (.+)/gm)) t.diagnostic(words!);
  if (code !== 0) throw new Error(`${file} failed\n${output}`);
}
