import type { Image } from './operator-api.ts';
import { printTable } from './output.ts';

const MIB = 2 ** 20;

export function printImages(images: Image[]): void {
  printTable(
    ['NAME', 'USER', 'SIZE', 'START', 'READY', 'SHA-256'],
    images.map(({ name, user, virtual_bytes, direct_boot, ready, sha256 }) => [
      name,
      user,
      `${Math.ceil(virtual_bytes / MIB)} MiB`,
      direct_boot ? 'kernel' : 'BIOS',
      ready,
      sha256,
    ]),
  );
}
