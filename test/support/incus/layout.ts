import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What tests need to know of a cluster. */
export interface ClusterInfo {
  directory: string;
  /** Of the network namespace that the members are reached from, and guests. */
  hub: string;
  endpoints: string[];
  /** Whether guests can be virtual machines. */
  vms: boolean;
}

export const MEMBERS = [1, 2, 3] as const;
/** Far beyond what anything here takes. */
export const HANG_MS = 300_000;
/** Between two looks at what is waited for. */
export const LOOK_MS = 50;
export const DAEMON = '/usr/libexec/incus/incusd';

/** The name of a VM's instance. */
export const instanceOf = (id: string) => id.replaceAll('_', '-');

export const addressOf = (member: number) => `10.99.0.${member}`;

/** The network namespace of a member. */
export const spaceOf = ({ hub }: ClusterInfo, member: number) => hub.replace('hub', `${member}`);
export const spaces = (info: ClusterInfo) => [info.hub, ...MEMBERS.map((member) => spaceOf(info, member))];

export const directoryOf = ({ directory }: ClusterInfo, member: number, name = '') =>
  join(directory, `m${member}`, name);

/** Where a member's storage pool is, if it is a file system of its own. */
export const poolOf = (info: ClusterInfo, member: number) => directoryOf(info, member, 'pool');

/** What Incus's programs find a member by, and keep their own files in. */
export const environmentOf = (info: ClusterInfo, member: number) => ({
  INCUS_DIR: directoryOf(info, member, 'incus'),
  HOME: info.directory,
});

/** Runs a program of a member's, such as the CLI. */
export function runAt(info: ClusterInfo, member: number, ...words: string[]): Promise<string> {
  const settings = Object.entries(environmentOf(info, member)).map(([name, value]) => `${name}=${value}`);
  return run('env', ...settings, ...words);
}

/** Runs the CLI at the first member. */
export function incus(info: ClusterInfo, ...words: string[]): Promise<string> {
  return runAt(info, 1, 'incus', ...words);
}

export async function run(program: string, ...args: string[]): Promise<string> {
  const running = promisify(execFile)(program, args, { maxBuffer: 2 ** 26, timeout: HANG_MS });
  // Incus's CLI reads what it may be given there to its end.
  running.child.stdin!.end();
  return (await running).stdout;
}
