import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { DriverReport } from '../driver.ts';
import type { Guests, Images } from './guest/guests.ts';
import type { HostNetwork } from './network/network.ts';
import { run } from './process/command.ts';
import { QEMU } from './process/direct-launcher.ts';

interface Host {
  directory: string;
  images: Images;
  network: HostNetwork;
  accelerator: 'kvm' | 'tcg';
}

const SPEED = { kvm: 'KVM', tcg: 'TCG, which is slow' } as const;

/** Reports whether and how guests can run here. Throws if a program is missing. */
export async function probeHost(host: Host, guests: Guests): Promise<DriverReport> {
  const { directory, images, network, accelerator } = host;
  const version = /version ([\d.]+)/.exec(await run(QEMU, '--version'))?.[1] ?? 'of unknown version';
  await run('qemu-img', '--version');
  await access(directory, constants.W_OK);
  if (accelerator === 'kvm') await access('/dev/kvm', constants.R_OK | constants.W_OK);
  const names = (await images.list()).map(({ name }) => name);
  const unreadable = await images.unreadable();
  const connected = await network.probe();
  const parts = [
    `qemu: QEMU ${version} with ${SPEED[accelerator]}`,
    `images: ${names.join(', ') || 'none'}`,
    ...(unreadable.length > 0 ? [`unreadable images: ${unreadable.join(', ')}`] : []),
    `network: ${connected.summary}`,
    `${guests.all().length} guests`,
    ...(guests.setAside.size > 0 ? [`set aside: ${[...guests.setAside].join(', ')}`] : []),
  ];
  return { ok: connected.ok && names.length > 0, summary: parts.join('; ') };
}
