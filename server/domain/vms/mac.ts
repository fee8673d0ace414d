import { randomBytes } from 'node:crypto';

/** A random MAC address with QEMU's well-known prefix, so that it reads as a virtual NIC. */
export function newMac(): string {
  return ['52', '54', '00', ...[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0'))].join(
    ':',
  );
}
