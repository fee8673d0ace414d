import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { killMachines } from '../../qemu/support/machines.ts';
import { importBlank } from '../../support/blank-image.ts';
import { defer } from '../../support/cleanup.ts';
import { importBuilt } from '../../support/tiny-image.ts';
import type { Client } from './client.ts';
import type { Machines } from './machines.ts';
import type { Vm } from './shapes.ts';
import { idle, newVm, SMALL } from './world.ts';

const run = promisify(execFile);

/** An image of the shipped catalog that is imported and whose disk is then deleted. */
const WITHOUT_DISK = 'alpine-3.22';
/**
 * The plans of the shipped catalog, which the stories name, are larger than what the guests really take of this
 * machine. The limit leaves space for all stories, but not for the largest sizes on sale.
 */
const SETTINGS = {
  VAUBAN_COMPUTE: 'qemu',
  VAUBAN_QEMU_NETWORK: 'routed',
  VAUBAN_QEMU_CPU_OVERCOMMIT: '64',
  VAUBAN_QEMU_MEMORY_MB: '60000',
  VAUBAN_QEMU_DISK_GB: '4000',
};
/**
 * Makes the guest reboot into nothing: no network, no SSH server, no guest agent. It waits a second, so that the
 * connection ends cleanly first.
 */
const FORGET_EVERYTHING = '(sleep 1; : >/etc/init.d/rcS; reboot) </dev/null >/dev/null 2>&1 &';

/**
 * Real guests of the tiny image, which is sold under the name that the stories use. Must be called in the test's own
 * network and mount namespace.
 */
export async function realMachines(t: TestContext, dataDir: string): Promise<Machines> {
  await importBuilt(dataDir, 'tiny', () => ({ name: SMALL.template, user: 'debian' }));
  await importBlank(dataDir, WITHOUT_DISK);
  const images = join(dataDir, 'images');
  const { sha256 } = JSON.parse(await readFile(join(images, `${WITHOUT_DISK}.json`), 'utf8'));
  await rm(join(images, 'files', sha256));
  // Guests outlive their service, and they are not child processes of this one.
  defer(t, () => killMachines(dataDir));
  return {
    settings: SETTINGS,
    neverMade: (client) => newVm(client, 'never-made', { template: WITHOUT_DISK }),
    async undeletable(client) {
      const vm = await newVm(client, 'undeletable');
      await standInTheWay(t, join(dataDir, 'guests', `.gone-${vm.id}`));
      return vm;
    },
    silent,
  };
}

/**
 * Mounts a file system where the engine deletes a removed guest's files: the kernel refuses to remove a mount point.
 */
async function standInTheWay(t: TestContext, path: string): Promise<void> {
  await mkdir(path);
  await run('mount', ['-t', 'tmpfs', 'none', path]);
  defer(t, () => run('umount', [path]));
}

/** The VM's customer logs in as root, breaks the system and reboots it. */
async function silent(client: Client): Promise<Vm> {
  const vm = await newVm(client, 'silent');
  const at = [vm.id];
  const root = { username: 'root' };
  const { password } = await client.ok<{ password: string }>('resetPassword', { at, body: root });
  await idle(client, vm.id);
  await runOnce({ host: vm.ipv4!, ...root, password }, FORGET_EVERYTHING);
  const rebooted = { at, query: { type: 'guest.rebooted' } };
  while ((await client.ok<unknown[]>('listEvents', rebooted)).length === 0);
  return vm;
}

function runOnce(login: ssh2.ConnectConfig, command: string): Promise<void> {
  const client = new ssh2.Client();
  return new Promise<void>((resolve, reject) => {
    client.on('error', reject);
    client.on('ready', () => {
      client.exec(command, (error, channel) => {
        if (error) reject(error);
        else channel.resume().on('close', resolve);
      });
    });
    // No timeout: key exchange is slow in an emulated guest.
    client.connect({ ...login, readyTimeout: 0 });
  }).finally(() => client.destroy());
}
