import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, realpath, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Share } from './limits.ts';

/** Period of a guest's CPU quota: the kernel's default. */
const PERIOD_MICROSECONDS = 100_000;
const PREFIX = 'vauban-';
const MEGA = 1_000_000;

/** This process's own control group, in which groups for guests can be created. */
export interface ControlGroup {
  path: string;
  version: 1 | 2;
  /**
   * Controllers available to child groups: "cpu", and in version 2 also "memory", "pids" and "io" if they are
   * delegated.
   */
  controllers: string[];
}

/** Returns this process's group, or a string saying why no groups for guests can be created in it. */
export async function findGroup(host: { mounts: string; groups: string }): Promise<ControlGroup | string> {
  const group = await findOwn(host);
  if (!group) return 'there is no control group for the CPU';
  try {
    await access(group.path, constants.W_OK);
    return group;
  } catch {
    return `${group.path} is not writable`;
  }
}

async function findOwn({ mounts, groups }: { mounts: string; groups: string }) {
  const own = new Map(
    (await readFile(groups, 'utf8')).split('\n').map((line) => {
      const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      return [controllers, path];
    }),
  );
  for (const line of (await readFile(mounts, 'utf8')).split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', mount = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    const below = (path = '') => join(mount, path.startsWith(root) ? path.slice(root.length) : path);
    if (type === 'cgroup2') {
      const path = below(own.get(''));
      // The group may contain other processes, so it is not ours to enable controllers for its children.
      const handedOn = await readFile(join(path, 'cgroup.subtree_control'), 'utf8').catch(() => '');
      const controllers = handedOn.trim().split(/\s+/);
      if (controllers.includes('cpu')) return { path, version: 2 as const, controllers };
    }
    if (type !== 'cgroup' || !options.split(',').includes('cpu')) continue;
    const [, path] = [...own].find(([controllers]) => controllers.split(',').includes('cpu')) ?? [];
    // In version 1, each controller has its own hierarchy; only this one is used.
    return { path: below(path), version: 1 as const, controllers: ['cpu'] };
  }
  return undefined;
}

/** Moves a process into its own group below `group`, with the limits of its share. */
export async function holdInGroup(group: ControlGroup, share: Share, pid: number): Promise<void> {
  await clearGroups(group.path);
  const path = join(group.path, PREFIX + share.id);
  await mkdir(path, { recursive: true });
  for (const [file, value] of await limitsOf(group, share)) await writeFile(join(path, file), value);
  await writeFile(join(path, 'cgroup.procs'), `${pid}`);
}

/** Removes the groups of ended guests; the kernel refuses to remove those in use. */
async function clearGroups(path: string): Promise<void> {
  const names = (await readdir(path)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => rmdir(join(path, name)).catch(() => {})));
}

/** Returns the files of a group and the values to write to them, in this order. */
async function limitsOf(
  { version, controllers }: ControlGroup,
  { cpus, memoryBytes, tasks, disk: { iops, mbps }, directory }: Share,
): Promise<[file: string, value: string][]> {
  const quota = Math.round(cpus * PERIOD_MICROSECONDS);
  if (version === 1)
    return [
      ['cpu.cfs_period_us', `${PERIOD_MICROSECONDS}`],
      ['cpu.cfs_quota_us', `${quota}`],
    ];
  const limits: [string, string][] = [['cpu.max', `${quota} ${PERIOD_MICROSECONDS}`]];
  if (controllers.includes('memory')) limits.push(['memory.max', `${memoryBytes}`]);
  if (controllers.includes('pids')) limits.push(['pids.max', `${tasks}`]);
  if (controllers.includes('io')) {
    const [requests, bytes] = [iops ?? 'max', mbps === undefined ? 'max' : mbps * MEGA];
    // A file system that is not on a block device has nothing whose use could be limited.
    const device = await deviceOf(directory);
    const each = `rbps=${bytes} wbps=${bytes} riops=${requests} wiops=${requests}`;
    if (device) limits.push(['io.max', `${device} ${each}`]);
    else if (iops !== undefined || mbps !== undefined)
      throw new Error(`the file system of ${directory} has no device that can be limited`);
  }
  return limits;
}

/**
 * Returns the kernel's number of the block device of a directory's file system, such as "8:0"; for a partition, that of
 * the whole disk.
 */
async function deviceOf(directory: string): Promise<string | undefined> {
  const { dev } = await stat(directory, { bigint: true });
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xfffff000n);
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n);
  const place = await realpath(`/sys/dev/block/${major}:${minor}`).catch(() => undefined);
  if (!place) return undefined;
  const whole = (await stat(join(place, 'partition')).catch(() => undefined)) ? join(place, '..') : place;
  return (await readFile(join(whole, 'dev'), 'utf8')).trim();
}
