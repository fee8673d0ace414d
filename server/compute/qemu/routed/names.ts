import { createHash } from 'node:crypto';

/** Every interface with this prefix belongs to a guest: the table filters it whether or not it knows the guest. */
export const TAP_PREFIX = 'vau';
/** The kernel allows 15 characters in a name; 60 bits of a hash are enough to tell a hundred thousand guests apart. */
const HASH_CHARACTERS = 12;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns a guest's interface name, always the same. Its alias in `ip link` is the guest's id. */
export function tapName(id: string): string {
  const hash = createHash('sha256').update(id).digest().subarray(0, HASH_CHARACTERS);
  return TAP_PREFIX + [...hash].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Returns the value of QEMU's `-netdev` for a guest. */
export function netdevOf(id: string): string {
  return `tap,id=net0,ifname=${tapName(id)},script=no,downscript=no`;
}
