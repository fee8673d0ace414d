import type { FirewallEntry } from '../../../../server/compute/driver.ts';
import type { TestGuest } from './env.ts';

const EVERYONE = ['0.0.0.0/0', '::/0'];

/** A firewall entry that accepts everything, but for `fields`. */
export function entry(fields: Partial<FirewallEntry>): FirewallEntry {
  return { direction: 'in', action: 'accept', protocol: 'any', ports: null, cidrs: EVERYONE, ...fields };
}

/** Both addresses of a guest. */
export const both = (guest: TestGuest) => [guest.v4, guest.v6];
