import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { untilListening } from '../../support/listening.ts';
import { REPOSITORY } from '../../support/source.ts';
import { output } from './machines.ts';

/** Stands for vauban-qemu. */
const GUESTS_USER = 'nobody';
const GUESTS_GROUP = 'nogroup';

/** Allows everything in catalog.yaml. */
const ALLOWANCE = `
guest_uids: 1800000000-1800000999
guest_limits: best_effort
guest_prefixes: [100.64.0.0/10, 2001:db8::/32]
forwards: [{ address: 192.0.2.10, ports: 20000-59999 }, { address: 192.0.2.20, ports: 20000-59999 }]
`;

/** The privileged helper of a host, for the guests of a data directory. */
export interface Helper {
  socket: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

export function helperOf(t: TestContext, dataDir: string): Helper {
  const socket = join(dataDir, 'host.sock');
  let kill = async () => {};
  defer(t, () => kill());
  return {
    socket,
    kill: () => kill(),
    async start() {
      const places = ['--pool', join(dataDir, 'guests'), '--images', join(dataDir, 'images')];
      const identity = ['--user', GUESTS_USER, '--group', GUESTS_GROUP];
      const config = join(dataDir, 'host.yaml');
      await writeFile(config, ALLOWANCE, { mode: 0o600 });
      const flags = ['--config', config, '--socket', socket, ...places, ...identity];
      const args = [join(REPOSITORY, 'server/hostd.ts'), ...flags];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      kill = async () => {
        child.kill('SIGKILL');
        await ended;
      };
      await untilListening(child);
    },
  };
}

/**
 * Mounts a pool of `megabytes`, a separate file system shared with the guests' user, until the test ends. This user may
 * traverse the directory above it.
 */
export async function mountPool(t: TestContext, pool: string, megabytes: number): Promise<void> {
  const group = Number(await output('id', '-g', GUESTS_USER));
  await output('mount', '--mkdir', '-t', 'tmpfs', '-o', `size=${megabytes}M`, 'tmpfs', pool);
  // Lazily: a machine of a failed test may still be ending.
  defer(t, () => output('umount', '--lazy', pool));
  await chown(pool, 0, group);
  await chmod(pool, 0o2710);
  await chmod(join(pool, '..'), 0o755);
}
