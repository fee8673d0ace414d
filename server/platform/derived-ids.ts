import { createHash } from 'node:crypto';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const OTHER_CHARACTERS = 16;

/**
 * Returns the id of a part that exists as long as its VM and has no row of its own. A part that every VM has (its boot
 * volume, its public interface) uses the VM's own characters; further ones, identified by `name`, keep the time part
 * and hash the rest.
 */
export function partId(prefix: 'vol' | 'nic', vmId: string, name?: string): string {
  const own = vmId.slice(vmId.indexOf('_') + 1);
  if (name === undefined) return `${prefix}_${own}`;
  const digest = createHash('sha256').update(`${vmId}/${name}`).digest();
  const characters = [...digest.subarray(0, OTHER_CHARACTERS)].map((byte) => CROCKFORD[byte & 31]);
  return `${prefix}_${own.slice(0, TIME_CHARACTERS)}${characters.join('')}`;
}
