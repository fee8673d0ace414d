import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClusterInfo, DAEMON, directoryOf, HANG_MS, LOOK_MS, run, runAt, spaceOf } from './layout.ts';
import { isZombie, kill } from './remains.ts';

const HERE = import.meta.dirname;

/** Starts a member, even one that was killed. */
export async function startMember(info: ClusterInfo, member: number): Promise<void> {
  const directory = directoryOf(info, member);
  for (const name of ['incus', 'cg', 'bin']) await mkdir(join(directory, name), { recursive: true });
  if (!(await tracksConnectionsInBridges())) {
    const shim = join(directory, 'bin', 'nft');
    await copyFile(join(HERE, 'nft.sh'), shim);
    await chmod(shim, 0o755);
  }
  if (info.vms) await prepareForVms(directory);
  const script = [join(HERE, 'member.sh'), directory];
  const space = [`--net=/run/netns/${spaceOf(info, member)}`, 'unshare', '-m', '--propagation', 'private'];
  spawn('setsid', ['nsenter', ...space, ...script], { detached: true, stdio: 'ignore' }).unref();
  const socket = directoryOf(info, member, 'incus/unix.socket');
  const end = Date.now() + HANG_MS;
  while (!existsSync(socket)) {
    if (Date.now() > end) throw new Error(`member ${member} did not start: see ${directory}/incusd.log`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  try {
    await runAt(info, member, DAEMON, 'waitready', '--timeout', String(HANG_MS / 1_000 - 30));
  } catch (error) {
    const log = readFileSync(join(directory, 'incusd.log'), 'utf8').split('\n').slice(-20).join('\n');
    throw new Error(`member ${member} is not ready: ${(error as Error).message}\n${log}`);
  }
}

/** Creates the programs and firmware that replace this machine's for a member that runs virtual machines. */
async function prepareForVms(directory: string): Promise<void> {
  await mkdir(join(directory, 'firmware'), { recursive: true });
  await copyFile(join(HERE, 'vm/qemu.sh'), join(directory, 'bin/qemu-system-x86_64'));
  // Modules that the kernel lacks cannot be loaded.
  await copyFile('/bin/true', join(directory, 'bin/modprobe'));
  // A BIOS under the name that Incus expects. The UEFI files only need to exist.
  for (const name of ['seabios.bin', 'OVMF_CODE.fd', 'OVMF_VARS.fd'])
    await copyFile('/usr/share/seabios/bios-256k.bin', join(directory, 'firmware', name));
}

/** Kills a member's daemon, as a power failure does; its guests keep running. */
export async function killMember(info: ClusterInfo, member: number): Promise<void> {
  const pid = Number(readFileSync(directoryOf(info, member, 'pid'), 'utf8'));
  kill(pid);
  while (existsSync(`/proc/${pid}`) && !isZombie(pid))
    await new Promise((resolve) => setTimeout(resolve, 10));
  await rm(directoryOf(info, member, 'incus/unix.socket'), { force: true });
}

let tracks: Promise<boolean> | undefined;

/** Returns whether this kernel supports the nft features that Incus's ACLs need. */
function tracksConnectionsInBridges(): Promise<boolean> {
  const rules =
    'table bridge probe { chain c { type filter hook forward priority 0; ct state established accept; }; }';
  tracks ??= run('unshare', '-n', '/usr/sbin/nft', rules).then(
    () => true,
    () => false,
  );
  return tracks;
}
