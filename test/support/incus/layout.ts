import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The facts about a cluster that tests need. */
export interface ClusterInfo {
  directory: string;
  /** The network namespace from which members and guests can be reached. */
  hub: string;
  endpoints: string[];
  /** True if guests can be virtual machines. */
  vms: boolean;
}

export const MEMBERS = [1, 2, 3] as const;
/** Far beyond what anything here takes. */
export const HANG_MS = 300_000;
export const LOOK_MS = 50;
export const DAEMON = '/usr/libexec/incus/incusd';

export const instanceOf = (id: string) => id.replaceAll('_', '-');

export const addressOf = (member: number) => `10.99.0.${member}`;

export const spaceOf = ({ hub }: ClusterInfo, member: number) => hub.replace('hub', `${member}`);
export const spaces = (info: ClusterInfo) => [info.hub, ...MEMBERS.map((member) => spaceOf(info, member))];

export const directoryOf = ({ directory }: ClusterInfo, member: number, name = '') =>
  join(directory, `m${member}`, name);

/** Returns the path of a member's storage pool, if it is a separate file system. */
export const poolOf = (info: ClusterInfo, member: number) => directoryOf(info, member, 'pool');

/** Returns the environment with which Incus's programs find a member, and in which they keep their own files. */
export const environmentOf = (info: ClusterInfo, member: number) => ({
  INCUS_DIR: directoryOf(info, member, 'incus'),
  HOME: info.directory,
});

/** Runs a program on a member, such as the CLI. */
export function runAt(info: ClusterInfo, member: number, ...words: string[]): Promise<string> {
  const settings = Object.entries(environmentOf(info, member)).map(([name, value]) => `${name}=${value}`);
  return run('env', ...settings, ...words);
}

/** Runs the CLI on the first member. */
export function incus(info: ClusterInfo, ...words: string[]): Promise<string> {
  return runAt(info, 1, 'incus', ...words);
}

export async function run(program: string, ...args: string[]): Promise<string> {
  const running = promisify(execFile)(program, args, { maxBuffer: 2 ** 26, timeout: HANG_MS });
  // Incus's CLI reads its standard input to the end.
  running.child.stdin!.end();
  return (await running).stdout;
}
