import type { FirewallEntry } from '../../../../server/compute/driver.ts';
import type { TestGuest } from './env.ts';

const EVERYONE = ['0.0.0.0/0', '::/0'];

/** Returns a firewall entry that accepts everything, with `fields` replaced. */
export function entry(fields: Partial<FirewallEntry>): FirewallEntry {
  return { direction: 'in', action: 'accept', protocol: 'any', ports: null, cidrs: EVERYONE, ...fields };
}

export const both = (guest: TestGuest) => [guest.v4, guest.v6];
