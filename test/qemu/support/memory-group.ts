import { mkdtemp, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';

/** A control group in which the kernel ends what takes too much memory. */
export interface MemoryGroup {
  /** From now on the process may take so much more, its file pages included. */
  hold(pid: number, megabytes: number): Promise<void>;
  /** How many processes the kernel has ended in it. */
  kills(): Promise<number>;
}

/** Both versions of control groups: where they are, and the files of a group. */
const VERSIONS = [
  { root: '/sys/fs/cgroup', needs: 'cgroup.subtree_control', limit: 'memory.max', events: 'memory.events' },
  {
    root: '/sys/fs/cgroup/memory',
    needs: 'memory.limit_in_bytes',
    limit: 'memory.limit_in_bytes',
    events: 'memory.oom_control',
  },
];

/** Makes a group that is removed when the test ends; undefined where the machine allows none. */
export async function openMemoryGroup(t: TestContext): Promise<MemoryGroup | undefined> {
  for (const { root, needs, limit, events } of VERSIONS) {
    const text = await readFile(join(root, needs), 'utf8').catch(() => '');
    if (needs === 'cgroup.subtree_control' ? !text.includes('memory') : text === '') continue;
    // By chance: in namespaces of their own several tests have the same process id.
    const group = await mkdtemp(join(root, 'vauban-test-'));
    defer(t, () => rmdir(group));
    return {
      async hold(pid, megabytes) {
        await writeFile(join(group, limit), `${megabytes * 2 ** 20}`);
        await writeFile(join(group, 'cgroup.procs'), `${pid}`);
      },
      async kills() {
        return Number(/oom_kill (\d+)/.exec(await readFile(join(group, events), 'utf8'))?.[1] ?? 0);
      },
    };
  }
  return undefined;
}
