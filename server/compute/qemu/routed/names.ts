import { createHash } from 'node:crypto';

/** Every interface that starts so belongs to a guest: the table fences it whether it knows the guest or not. */
export const TAP_PREFIX = 'vau';
/** The kernel has room for 15 characters; 60 bits of a hash tell a hundred thousand guests apart. */
const HASH_CHARACTERS = 12;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** The interface of a guest: the same on every call. Its alias in `ip link` is the guest's id. */
export function tapName(id: string): string {
  const hash = createHash('sha256').update(id).digest().subarray(0, HASH_CHARACTERS);
  return TAP_PREFIX + [...hash].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** The value of QEMU's `-netdev` for a guest. */
export function netdevOf(id: string): string {
  return `tap,id=net0,ifname=${tapName(id)},script=no,downscript=no`;
}
