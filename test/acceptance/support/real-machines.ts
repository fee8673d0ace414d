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

/** Of the shipped catalog: its image is imported, and then its disk is lost. */
const WITHOUT_DISK = 'alpine-3.22';
/**
 * The shipped catalog's plans, which the stories name, are larger than what the guests take of this machine; the limit
 * leaves room for all stories and none for the largest sizes that are sold.
 */
const SETTINGS = {
  VAUBAN_COMPUTE: 'qemu',
  VAUBAN_QEMU_NETWORK: 'routed',
  VAUBAN_QEMU_CPU_OVERCOMMIT: '64',
  VAUBAN_QEMU_MEMORY_MB: '60000',
  VAUBAN_QEMU_DISK_GB: '4000',
};
/** Boots into nothing: no network, no SSH server, no guest agent. After the connection's end, which is heard then. */
const FORGET_EVERYTHING = '(sleep 1; : >/etc/init.d/rcS; reboot) </dev/null >/dev/null 2>&1 &';

/**
 * Real machines made of the tiny image, which is sold under the name that the stories use. To be called in a network
 * and a mount namespace of the test's own.
 */
export async function realMachines(t: TestContext, dataDir: string): Promise<Machines> {
  await importBuilt(dataDir, 'tiny', () => ({ name: SMALL.template, user: 'debian' }));
  await importBlank(dataDir, WITHOUT_DISK);
  const images = join(dataDir, 'images');
  const { sha256 } = JSON.parse(await readFile(join(images, `${WITHOUT_DISK}.json`), 'utf8'));
  await rm(join(images, 'files', sha256));
  // Guests outlive their service, and are no processes of this one's.
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

/** A mount where the engine takes a removed guest's files apart: the kernel refuses to remove it. */
async function standInTheWay(t: TestContext, path: string): Promise<void> {
  await mkdir(path);
  await run('mount', ['-t', 'tmpfs', 'none', path]);
  defer(t, () => run('umount', [path]));
}

/** Its customer logs in as root, spoils it, and has it reboot. */
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

/** Logs in, runs one command and waits for its end. */
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
    // A guest under emulation is slow to agree on keys.
    client.connect({ ...login, readyTimeout: 0 });
  }).finally(() => client.destroy());
}
