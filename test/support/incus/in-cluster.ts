import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isInstalled } from '../../../scripts/installed.ts';
import { type ClusterOptions, type ClusterPlan, IncusCluster, OF_THREE } from './cluster.ts';
import type { ClusterInfo } from './layout.ts';

const REQUIRED = process.env.VAUBAN_REQUIRE_INCUS === '1';
const INFO = 'VAUBAN_TEST_INCUS_CLUSTER';
const PROGRAMS = [
  '/usr/libexec/incus/incusd',
  'incus',
  'dnsmasq',
  'dropbear',
  'busybox',
  'gobgpd',
  'gobgp',
  'rsync',
  'uuidgen',
  'nft',
  'openssl',
];
/** Additional programs for virtual machines. */
const PROGRAMS_OF_VMS = [
  '/usr/bin/qemu-system-x86_64',
  '/usr/bin/python3',
  '/usr/share/seabios/bios-256k.bin',
  'qemu-img',
  'mkisofs',
];
/** Features that the kernel, or the sandbox of this process, may lack. */
const KERNEL = `
ip link add b0 type bridge && ip link add v0 type veth peer name v1 && mount -t sysfs sysfs /sys &&
mount -t tmpfs tmpfs /mnt && nft 'table bridge t { chain c { type filter hook forward priority 0; ether saddr 52:54:00:00:00:01 accept; }; }' &&
unshare --user --map-root-user --pid --fork --mount-proc true`;

/** Returns why no cluster can be started here, or false. */
export function whyNoCluster({ vms }: ClusterOptions = {}): string | false {
  if (process.getuid?.() !== 0) return 'needs root for network namespaces';
  const programs = [...PROGRAMS, ...(vms ? PROGRAMS_OF_VMS : [])];
  const missing = programs.filter((program) => !existsSync(program) && !isInstalled(program));
  if (missing.length > 0) {
    const reason = `needs ${missing.join(', ')} (Debian: incus-base, incus-client, dnsmasq-base, dropbear-bin, gobgpd, rsync, uuid-runtime; for virtual machines qemu-system-x86, qemu-utils, genisoimage, python3)`;
    if (REQUIRED) test(`this machine can run all tests: ${reason}`, () => assert.fail(reason));
    return reason;
  }
  const { status, stderr } = spawnSync('unshare', ['--mount', '--net', 'sh', '-ec', KERNEL], {
    encoding: 'utf8',
  });
  return status === 0 ? false : `this kernel or sandbox runs no cluster: ${stderr.trim().split('\n').at(-1)}`;
}

/** Returns the cluster in whose network this process runs, if there is one. */
export function givenCluster(): ClusterInfo | undefined {
  const path = process.env[INFO];
  return path === undefined ? undefined : JSON.parse(readFileSync(path, 'utf8'));
}

/**
 * Returns the cluster in which the tests of `file` run. Call it in the file itself: it runs the file again in the
 * network of a new cluster, which it removes afterwards. `plans` describes the clusters; if there are several, the
 * first is returned. Returns undefined in the outer process, in which no test may be registered.
 */
export async function inCluster(
  file: string,
  plans: readonly ClusterPlan[] = OF_THREE,
  options: ClusterOptions = {},
): Promise<ClusterInfo | undefined> {
  const given = givenCluster();
  if (given) return given;
  const skip = whyNoCluster(options);
  if (skip) {
    test('incus: a real cluster', { skip }, () => {});
    return undefined;
  }
  let child: ChildProcess | undefined;
  let isOver = false;
  // However many arrive: an interrupt reaches a whole process group, and each of these processes passes it on.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      isOver = true;
      child?.kill('SIGTERM');
    });
  const cluster = await IncusCluster.raise(plans, options);
  process.exitCode = 1;
  try {
    const path = join(cluster.info.directory, 'info.json');
    await writeFile(path, JSON.stringify(cluster.info));
    if (isOver) return undefined;
    const args = [`--net=/run/netns/${cluster.info.hub}`, process.execPath, ...process.execArgv, file];
    child = spawn('nsenter', args, { stdio: 'inherit', env: { ...process.env, [INFO]: path } });
    const [code] = await once(child, 'exit');
    process.exitCode = code ?? 1;
  } finally {
    await cluster.down();
  }
  return undefined;
}
