import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterInfo, MEMBERS, run, spaces } from './layout.ts';

/** Kills a process, if it exists. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** Returns whether a process has ended without being reaped by its parent. */
export const isZombie = (pid: number) => {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
};

/**
 * Returns the processes in a cluster's namespaces, those that name its directory, and the guests, which are their
 * children.
 */
export async function processesOf(info: ClusterInfo): Promise<number[]> {
  const found = new Set<number>();
  for (const space of spaces(info)) {
    const pids = await run('ip', 'netns', 'pids', space).catch(() => '');
    for (const pid of pids.split('\n').filter(Boolean)) found.add(Number(pid));
  }
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || !read(`/proc/${entry}/cmdline`).includes(`${info.directory}/m`)) continue;
    found.add(Number(entry));
    for (const child of read(`/proc/${entry}/task/${entry}/children`).split(' ').filter(Boolean))
      found.add(Number(child));
  }
  found.delete(process.pid);
  return [...found];
}

/** Returns the names of instances that exist, or existed, in a cluster. */
export function instancesIn(directory: string): string[] {
  return MEMBERS.flatMap((member) =>
    ['containers', 'logs'].flatMap((name) => {
      const path = join(directory, `m${member}`, 'incus', name);
      return existsSync(path) ? readdirSync(path) : [];
    }),
  );
}

/** Returns the mount points below a directory, innermost first. */
export function mountsBelow(directory: string): string[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return mounts
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${directory}/`))
    .reverse();
}

/** Removes the control groups that instances with these names have left. */
export async function removeControlGroups(names: string[]): Promise<void> {
  const root = '/sys/fs/cgroup';
  const hierarchies = existsSync(root) ? ['', ...readdirSync(root)] : [];
  for (const hierarchy of hierarchies) {
    for (const name of names) {
      for (const kind of ['payload', 'monitor']) {
        const path = join(root, hierarchy, `lxc.${kind}.${name}`);
        if (existsSync(path))
          await run('find', path, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+').catch(() => {});
      }
    }
  }
}
