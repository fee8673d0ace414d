import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { roomOf } from '../../platform/file-system-room.ts';
import type { EngineFinding } from '../driver.ts';
import { GUEST_ID, Guest } from './guest/guest.ts';
import type { ImageStore } from './images/image-store.ts';
import { BARE_ENVIRONMENT } from './process/command.ts';
import { findLimiter } from './process/limits.ts';

const run = promisify(execFile);

/** Executes a guest's instructions: the processor itself (kvm), or QEMU, ten to twenty times slower (tcg). */
export interface Accelerator {
  kind: 'kvm' | 'tcg';
  /** Why this one was chosen, for people. */
  reason: string;
}

/** The operator's choice. `auto` uses KVM if the processor supports it. */
export type AcceleratorChoice = 'auto' | Accelerator['kind'];

export type Finding = EngineFinding;

/** The kernel's files that describe the host; tests use others. */
const KERNEL = {
  kvm: '/dev/kvm',
  cpuinfo: '/proc/cpuinfo',
  meminfo: '/proc/meminfo',
  status: '/proc/self/status',
  tun: '/dev/net/tun',
};
type KernelFiles = typeof KERNEL;

/** The oldest QEMU that the driver is tested with. */
const OLDEST_QEMU = [7, 2] as const;
const CAP_NET_ADMIN = 12n;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
/** With less than this, the first customer's guest does not fit. */
const LITTLE_MEMORY = 2 * GIB;
const LITTLE_ROOM = 10 * GIB;
const NEARLY_FULL = 0.8;
const SETUP = 'npm run host:setup';

/**
 * Returns the accelerator for `choice`. `auto` uses KVM only if the device opens for reading and writing and the
 * processor reports virtualization support: inside some virtual machines the device exists but hangs every guest.
 */
export async function findAccelerator(
  choice: AcceleratorChoice = 'auto',
  { kvm, cpuinfo }: Pick<KernelFiles, 'kvm' | 'cpuinfo'> = KERNEL,
): Promise<Accelerator> {
  if (choice !== 'auto') return { kind: choice, reason: 'the configuration says so' };
  try {
    await (await open(kvm, 'r+')).close();
  } catch (error) {
    return { kind: 'tcg', reason: `${kvm} cannot be opened: ${(error as NodeJS.ErrnoException).code}` };
  }
  const flag = /^flags\s*:.*\b(svm|vmx)\b/m.exec(await readFile(cpuinfo, 'utf8'))?.[1];
  return flag
    ? { kind: 'kvm', reason: `${kvm} can be opened, and the processor has ${flag}` }
    : { kind: 'tcg', reason: `${kvm} can be opened, but the processor has neither svm nor vmx` };
}

/** Checks whether customers' guests can be connected to the network: taps and routes need a privilege and a device. */
export async function findNetworkPrivilege({ status, tun } = KERNEL): Promise<Finding> {
  const what = 'network';
  const capabilities = BigInt(
    `0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(await readFile(status, 'utf8'))?.[1] ?? '0'}`,
  );
  if (((capabilities >> CAP_NET_ADMIN) & 1n) === 0n)
    return {
      what,
      state: 'limited',
      found: 'user mode only, for development: the service lacks CAP_NET_ADMIN',
    };
  try {
    await access(tun, constants.R_OK | constants.W_OK);
  } catch {
    return { what, state: 'limited', found: `user mode only, for development: ${tun} cannot be opened` };
  }
  return { what, state: 'ok', found: `the service has CAP_NET_ADMIN and can open ${tun}` };
}

/** Checks everything that guests need on this host, with the permissions of the calling process. Starts no guest. */
export async function inspectHost(options: {
  dataDir: string;
  /** Directory of guests' disks. */
  poolDir: string;
  images: ImageStore;
  accelerator?: AcceleratorChoice;
}): Promise<Finding[]> {
  return Promise.all([
    findQemu(),
    findProgram('qemu-img', 'missing'),
    describeAccelerator(options.accelerator),
    findProgram('nft', 'limited'),
    findProgram('ip', 'limited'),
    findProgram('setfacl', 'limited'),
    findNetworkPrivilege(),
    describeLimits(),
    findMemory(),
    findRoom('disk', options.dataDir),
    ...(options.poolDir === options.dataDir ? [] : [findRoom('pool', options.poolDir)]),
    findImages(options.images),
    findGuests(join(options.poolDir, 'guests')),
  ]);
}

async function findQemu(): Promise<Finding> {
  const finding = await findProgram('qemu-system-x86_64', 'missing');
  const version = /version (\d+)\.(\d+)/.exec(finding.found)?.slice(1).map(Number);
  if (!version) return finding;
  const [major = 0, minor = 0] = version;
  const old = major < OLDEST_QEMU[0] || (major === OLDEST_QEMU[0] && minor < OLDEST_QEMU[1]);
  if (!old) return finding;
  return { ...finding, state: 'limited', found: `${finding.found}; older than ${OLDEST_QEMU.join('.')}` };
}

async function findProgram(program: string, otherwise: Finding['state']): Promise<Finding> {
  // Administration programs are not on everyone's PATH.
  const env = { ...BARE_ENVIRONMENT, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  try {
    const { stdout } = await run(program, [program === 'ip' ? '-V' : '--version'], { env });
    return { what: program, state: 'ok', found: stdout.trim().split('\n')[0]! };
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const found = absent
      ? `not installed (${SETUP})`
      : `does not run: ${(error as Error).message.split('\n')[0]}`;
    return { what: program, state: otherwise, found };
  }
}

async function describeAccelerator(choice?: AcceleratorChoice): Promise<Finding> {
  const { kind, reason } = await findAccelerator(choice);
  return { what: 'accelerator', state: kind === 'kvm' ? 'ok' : 'limited', found: `${kind}: ${reason}` };
}

async function describeLimits(): Promise<Finding> {
  const what = 'limits of guests';
  const limiter = await findLimiter();
  if (typeof limiter === 'string')
    return { what, state: 'limited', found: `guests may use more than they were sold: ${limiter}` };
  const { how, lacks } = limiter;
  if (lacks.length === 0) return { what, state: 'ok', found: how };
  return { what, state: 'limited', found: `${how}, without ${lacks.join(', ')}` };
}

async function findMemory({ meminfo } = KERNEL): Promise<Finding> {
  const kib = Number(/^MemAvailable:\s*(\d+)/m.exec(await readFile(meminfo, 'utf8'))?.[1] ?? 0);
  const state = kib * 1024 < LITTLE_MEMORY ? 'limited' : 'ok';
  return { what: 'memory', state, found: `${Math.floor((kib * 1024) / MIB)} MiB available` };
}

/** Checks the file system that contains the directory, or will contain it. */
async function findRoom(what: string, directory: string): Promise<Finding> {
  try {
    const { freeBytes, used } = await roomOf(directory);
    const found = `${Math.floor(freeBytes / GIB)} GiB free for ${directory}, ${Math.floor(used * 100)} % used`;
    return { what, state: freeBytes < LITTLE_ROOM || used >= NEARLY_FULL ? 'limited' : 'ok', found };
  } catch (error) {
    return { what, state: 'missing', found: `${directory}: ${(error as Error).message}` };
  }
}

async function findImages(images: ImageStore): Promise<Finding> {
  const what = 'images';
  const names = (await images.list()).map(({ name }) => name);
  if (names.length === 0)
    return { what, state: 'missing', found: `none (${SETUP}, or vaubanctl image import)` };
  const unreadable = await images.unreadable();
  if (unreadable.length === 0) return { what, state: 'ok', found: names.join(', ') };
  const mend = `unreadable, import again: ${unreadable.join(', ')}`;
  return { what, state: 'limited', found: `${names.join(', ')}; ${mend}` };
}

/** Lists the guests that the driver sets aside. */
async function findGuests(directory: string): Promise<Finding> {
  const what = 'guests';
  const names = (await readdir(directory).catch(() => [])).filter((name) => GUEST_ID.test(name));
  const read = await Promise.allSettled(names.map((name) => Guest.read(join(directory, name))));
  const problems = read.flatMap((result) => (result.status === 'rejected' ? [result.reason.message] : []));
  if (problems.length === 0) return { what, state: 'ok', found: `${names.length}` };
  return { what, state: 'limited', found: `${names.length}; set aside: ${problems.join('; ')}` };
}
