import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAccelerator } from '../../server/compute/qemu/host.ts';
import type { Image } from '../../server/compute/qemu/images/image.ts';
import { seedImage } from '../../server/compute/qemu/images/seed.ts';
import { freshKeyPair } from '../../server/platform/ssh-key-pair.ts';
import { output } from '../../test/qemu/support/machines.ts';
import { tinyImage } from '../../test/support/tiny-image.ts';
import type { SiteOrder } from '../host-env.ts';
import { makeDirectory } from './inside.ts';

/** A guest made without the service; its seed exists before the clock starts. */
export interface RivalGuest {
  directory: string;
  seed: string;
  tap: string;
  address: string;
  mac: string;
}

/** The parts from which the service's competitors make guests: the same image, accelerator and size. */
export interface RivalParts {
  image: Image;
  accelerator: 'kvm' | 'tcg';
  privateKey: string;
  guest(): RivalGuest;
}

export const RAM_MB = 256;
const GATEWAY = '203.0.113.1';

export async function rivalParts(order: SiteOrder): Promise<RivalParts> {
  const image = (await tinyImage())!;
  const { kind: accelerator } = await findAccelerator();
  const key = freshKeyPair();
  let count = 1;
  return {
    image,
    accelerator,
    privateKey: key.private,
    guest() {
      const number = ++count;
      const directory = makeDirectory(order);
      const seed = join(directory, 'seed.iso');
      const mac = `52:54:00:00:01:${number.toString(16).padStart(2, '0')}`;
      const address = `203.0.113.${number}`;
      const addresses = [{ address, family: 4 as const, prefix: 24, gateway: GATEWAY }];
      const who = { id: `vm_${number}`, hostname: `rival-${number}`, user: image.user, mac };
      const known = { addresses, nameservers: ['192.0.2.53'], authorizedKeys: [key.public] };
      writeFileSync(seed, seedImage({ ...who, ...known }));
      return { directory, seed, tap: `rival${number}`, address, mac };
    },
  };
}

export async function unplug({ tap }: RivalGuest): Promise<void> {
  await output('ip', 'link', 'del', 'dev', tap);
}
