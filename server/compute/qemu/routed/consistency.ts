import { isIP } from 'node:net';
import type { GuestAndPolicy } from '../../../helpers/host/shapes.ts';
import { canonicalIp, isSpecial } from '../../../platform/cidr.ts';
import { checkTogether as checkForwards } from '../../../platform/public-ports.ts';
import { InvalidArgumentError } from '../../../platform/strict-shapes.ts';
import type { Card } from './card.ts';

const BITS = { 4: 32, 6: 128 };
const WITH_PORTS = ['tcp', 'udp'];

/**
 * Checks fields that are valid on their own against each other, because a contradiction would fail the whole batch that
 * they become part of. Throws {@link InvalidArgumentError} naming the first bad field.
 */
export function checkTogether({ guest, policy }: GuestAndPolicy): void {
  const seen = new Set<string>();
  for (const [index, { address, family, prefix, gateway }] of guest.addresses.entries()) {
    const at = `guest.addresses.${index}`;
    if (isIP(address) !== family) refuse(`${at}.address`, `is not of family ${family}`);
    if (isSpecial(address)) refuse(`${at}.address`, 'cannot be the address of a single host');
    if (prefix > BITS[family]) refuse(`${at}.prefix`, `is more than the ${BITS[family]} bits of the address`);
    if (isIP(gateway) !== family) refuse(`${at}.gateway`, `is not of family ${family}`);
    if (canonicalIp(gateway) === canonicalIp(address)) refuse(`${at}.gateway`, "is the guest's own address");
    if (seen.has(canonicalIp(address))) refuse(`${at}.address`, 'is there twice');
    seen.add(canonicalIp(address));
  }
  for (const [index, { protocol, ports }] of policy.firewall.entries()) {
    if (ports !== null && !WITH_PORTS.includes(protocol))
      refuse(`policy.firewall.${index}.ports`, `${protocol} has no ports`);
  }
  checkForwards(policy.portForwards, 'policy.portForwards');
}

/**
 * Throws {@link InvalidArgumentError} if a card has an address that is taken. `reserved` are the addresses of the host
 * and its routers, `held` the cards of all guests.
 */
export function checkFree(card: Card, reserved: Set<string>, held: Iterable<Card>): void {
  const mine = new Set(card.addresses);
  const at = (address: string) => `guest.addresses.${card.addresses.indexOf(address)}.address`;
  for (const address of mine) {
    if (reserved.has(address)) refuse(at(address), "is the host's own, or its router's");
  }
  for (const { tap, addresses } of held) {
    const shared = tap === card.tap ? undefined : addresses.find((address) => mine.has(address));
    if (shared) refuse(at(shared), 'belongs to another guest');
  }
}

function refuse(field: string, why: string): never {
  throw new InvalidArgumentError(`${field}: ${why}`);
}
