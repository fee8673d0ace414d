import type { GuestAddress } from '../../driver.ts';
import { type FirstBoot, userData, yaml } from '../../inside/user-data.ts';
import { ROUTER_6 } from '../network/network.ts';
import { isoImage } from './iso.ts';

/** The data a guest reads at its first boot. */
export interface SeedInput extends FirstBoot {
  id: string;
  hostname: string;
  mac: string;
  addresses: GuestAddress[];
  nameservers: readonly string[];
}

/** Label by which cloud-init finds its "NoCloud" data source. */
const LABEL = 'cidata';

function metaData({ id, hostname }: SeedInput): string {
  return yaml({ 'instance-id': id, 'local-hostname': hostname });
}

/**
 * Identifies the card by its MAC address, because its name depends on the machine's slots. For IPv6, the guest gets its
 * own address and a router but no prefix: others in the same prefix are guests behind the host and its rules.
 */
function networkConfig({ mac, addresses, nameservers }: SeedInput): string {
  const gateway4 = addresses.find(({ family }) => family === 4)?.gateway;
  const hasV6 = addresses.some(({ family }) => family === 6);
  const card = {
    match: { macaddress: mac },
    ...(addresses.length === 0
      ? { dhcp4: true }
      : {
          addresses: addresses.map(
            ({ address, family, prefix }) => `${address}/${family === 6 ? 128 : prefix}`,
          ),
          ...(gateway4 ? { gateway4 } : {}),
          ...(hasV6 ? { gateway6: ROUTER_6 } : {}),
          nameservers: { addresses: [...nameservers] },
        }),
  };
  const at = 'ethernets.primary';
  return yaml({ version: 2, ethernets: { primary: card } }, [
    `${at}.match`,
    `${at}.addresses`,
    `${at}.nameservers`,
  ]);
}

/** Returns the files of the seed, by name. The same input always gives the same files. */
export function seedFiles(input: SeedInput): Record<string, string> {
  return {
    'meta-data': metaData(input),
    'network-config': networkConfig(input),
    'user-data': userData(input),
  };
}

/** Returns the seed of a guest that will become a warm template: a suitable image stops at this and waits. */
export function templateSeed(): Buffer {
  const metaData = yaml({ 'instance-id': 'warm-template', 'local-hostname': 'template' });
  return isoImage(LABEL, { 'meta-data': Buffer.from(metaData), 'user-data': Buffer.from('#cloud-config\n') });
}

export function seedImage(input: SeedInput): Buffer {
  const files = Object.entries(seedFiles(input)).map(([name, text]) => [name, Buffer.from(text)]);
  return isoImage(LABEL, Object.fromEntries(files));
}
