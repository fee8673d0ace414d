import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInstalled } from '../../scripts/installed.ts';
import { output } from '../../test/qemu/support/machines.ts';
import { defer, type Lifetime } from '../../test/support/cleanup.ts';
import type { SiteOrder } from '../host-env.ts';
import { RAM_MB, type RivalGuest, type RivalParts, unplug } from './baseline.ts';
import { makeDirectory } from './inside.ts';

const DAEMON = join(import.meta.dirname, 'libvirtd.sh');
const PROGRAMS = ['virt-install', 'libvirtd', 'virsh'];
const POLL_MS = 20;

/** Makes guests as an administrator would with libvirt. */
export interface Libvirt {
  /** Creates the disk and runs virt-install; resolves once that has ended. */
  install(guest: RivalGuest): Promise<void>;
  remove(guest: RivalGuest): Promise<void>;
}

/** Returns why there is no libvirt to compare with, or false. */
export function whyNoLibvirt(): string | false {
  const missing = PROGRAMS.filter((program) => !isInstalled(program));
  if (missing.length === 0) return false;
  const packages = 'apt-get install virtinst libvirt-daemon-system libvirt-clients';
  return `${missing.join(', ')} not installed: ${packages}`;
}

export async function startLibvirt(life: Lifetime, order: SiteOrder, parts: RivalParts): Promise<Libvirt> {
  const directory = makeDirectory(order);
  const daemon = spawn('unshare', ['--mount', DAEMON, directory], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const exit = once(daemon, 'exit');
  defer(life, async () => {
    daemon.kill('SIGTERM');
    await exit;
  });
  const socket = join(directory, 'sock/libvirt-sock');
  while (!existsSync(socket)) {
    if (daemon.exitCode !== null) throw new Error(`libvirtd ended with ${daemon.exitCode}`);
    await sleep(POLL_MS);
  }
  const connection = ['--connect', `qemu+unix:///system?socket=${socket}`];
  const virsh = (...words: string[]) => output('virsh', ...connection, ...words);
  // The first query makes it inspect every installed QEMU, which takes seconds, but only once.
  await virsh('domcapabilities', '--virttype', parts.accelerator === 'kvm' ? 'kvm' : 'qemu');
  return {
    async install(guest) {
      await plugIn(parts, guest);
      await output('virt-install', ...connection, ...installArguments(parts, guest));
    },
    async remove(guest) {
      await virsh('destroy', guest.tap);
      await virsh('undefine', guest.tap);
      await unplug(guest);
    },
  };
}

/** Does what virt-install leaves to its caller: the disk over the image, and a routed tap. */
async function plugIn({ image }: RivalParts, { directory, tap, address }: RivalGuest): Promise<void> {
  const disk = join(directory, 'disk.qcow2');
  await output(
    'qemu-img',
    'create',
    '-q',
    '-f',
    'qcow2',
    '-F',
    'qcow2',
    '-b',
    image.disk,
    disk,
    '1000000000',
  );
  await output('ip', 'tuntap', 'add', 'dev', tap, 'mode', 'tap');
  // The host answers ARP for the guest's gateway.
  await writeFile(`/proc/sys/net/ipv4/conf/${tap}/proxy_arp`, '1');
  await writeFile(`/proc/sys/net/ipv4/neigh/${tap}/proxy_delay`, '0');
  await output('ip', 'link', 'set', 'dev', tap, 'up');
  await output('ip', 'route', 'add', `${address}/32`, 'dev', tap);
}

function installArguments({ image, accelerator }: RivalParts, guest: RivalGuest): string[] {
  const { directory, tap, mac, seed } = guest;
  const boot = image.directBoot;
  // A comma ends a value there; a doubled one stands for a comma.
  const kernel = boot && [
    `kernel=${boot.kernel}`,
    `initrd=${boot.initrd}`,
    `kernel_args=${boot.append.replaceAll(',', ',,')}`,
  ];
  return [
    ...[
      '--name',
      tap,
      '--import',
      '--noautoconsole',
      '--graphics',
      'none',
      '--osinfo',
      'detect=off,require=off',
    ],
    ...['--virt-type', accelerator === 'kvm' ? 'kvm' : 'qemu', '--machine', 'q35'],
    ...['--cpu', accelerator === 'kvm' ? 'host-passthrough' : 'mode=maximum'],
    ...['--memory', `${RAM_MB}`, '--vcpus', '1', '--rng', '/dev/urandom'],
    ...['--disk', `path=${join(directory, 'disk.qcow2')},format=qcow2,bus=virtio`],
    ...['--disk', `path=${seed},format=raw,bus=virtio,readonly=on`],
    ...['--network', `type=ethernet,target.dev=${tap},mac=${mac},model=virtio`],
    ...['--xml', './devices/interface/target/@managed=no'],
    ...(kernel ? ['--boot', kernel.join(',')] : []),
  ];
}
