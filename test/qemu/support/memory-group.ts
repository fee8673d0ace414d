import { mkdtemp, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';

/** A control group in which the kernel kills a process that takes too much memory. */
export interface MemoryGroup {
  /** From now on the process may take only that much more memory, including its file pages. */
  hold(pid: number, megabytes: number): Promise<void>;
  /** Returns how many processes the kernel has killed in the group. */
  kills(): Promise<number>;
}

/** Both versions of control groups: their directories and the files of a group. */
const VERSIONS = [
  { root: '/sys/fs/cgroup', needs: 'cgroup.subtree_control', limit: 'memory.max', events: 'memory.events' },
  {
    root: '/sys/fs/cgroup/memory',
    needs: 'memory.limit_in_bytes',
    limit: 'memory.limit_in_bytes',
    events: 'memory.oom_control',
  },
];

/** Creates a group that is removed when the test ends; returns undefined if the machine does not allow one. */
export async function openMemoryGroup(t: TestContext): Promise<MemoryGroup | undefined> {
  for (const { root, needs, limit, events } of VERSIONS) {
    const text = await readFile(join(root, needs), 'utf8').catch(() => '');
    if (needs === 'cgroup.subtree_control' ? !text.includes('memory') : text === '') continue;
    // A random name: in separate namespaces several tests may have the same process id.
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
