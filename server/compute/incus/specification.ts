import type { DiskSpeed, GuestAddress, GuestSize, GuestSpec } from '../driver.ts';
import { userData, yaml } from '../inside/user-data.ts';
import { KEYS, nameOf } from './instance.ts';

/** Where guests of this service are on the cluster. */
export interface Surroundings {
  project: string;
  /** The bridge that guests are connected to: the same name on each member. */
  network: string;
  /** Of their disks. */
  pool: string;
}

type Device = Record<string, string>;

/** What limits a guest's size. */
export function limitsOf({ vcpu, ramMb }: Pick<GuestSize, 'vcpu' | 'ramMb'>): Record<string, string> {
  return { 'limits.cpu': `${vcpu}`, 'limits.memory': `${ramMb}MiB` };
}

/** Its disk. Incus limits either requests or bytes. */
export function rootDisk(
  { diskGb, disk }: Pick<GuestSize, 'diskGb' | 'disk'>,
  { pool }: Surroundings,
): Device {
  return { type: 'disk', path: '/', pool, size: `${diskGb}GB`, ...speedOf(disk) };
}

function speedOf({ iops, mbps }: DiskSpeed = {}): Device {
  if (iops !== undefined && mbps !== undefined)
    throw new Error('Incus limits a disk by requests or by bytes a second, not by both: see docs/incus.md');
  if (iops === undefined && mbps === undefined) return {};
  return { 'limits.max': iops === undefined ? `${mbps}MB` : `${iops}iops` };
}

/**
 * Its network card: nothing comes from it under another address than its own, and nothing passes that its rules do not let
 * pass.
 */
export function networkCard(
  { id, mac, addresses }: Pick<GuestSpec, 'id' | 'mac' | 'addresses'>,
  { network }: Surroundings,
): Device {
  const card: Device = {
    type: 'nic',
    name: 'eth0',
    network,
    hwaddr: mac,
    'security.mac_filtering': 'true',
    'security.ipv4_filtering': 'true',
    'security.ipv6_filtering': 'true',
    'security.acls': nameOf(id),
    'security.acls.default.ingress.action': 'drop',
    'security.acls.default.egress.action': 'drop',
  };
  for (const { address, family } of addresses) card[`ipv${family}.address`] ??= address;
  return card;
}

const ROUTES = /\.routes\.external$/;
const LIMITS = /^limits\./;

/** The card of a guest that runs: its addresses are announced by the member that it is on. */
export function announced(card: Device, addresses: readonly GuestAddress[]): Device {
  const routes = addresses.map(({ address, family }) => [
    `ipv${family}.routes.external`,
    `${address}/${family === 4 ? 32 : 128}`,
  ]);
  return { ...withoutKeys(card, ROUTES), ...Object.fromEntries(routes) };
}

/** The card of one that is to be started: a start that failed would leave its routes on the member, where no other could be. */
export const unannounced = (card: Device): Device => withoutKeys(card, ROUTES);

/** The card with a limit in bit/s each way, or without one. */
export function limited(card: Device, bps: number | undefined): Device {
  const others = withoutKeys(card, LIMITS);
  return bps === undefined
    ? others
    : { ...others, 'limits.ingress': `${bps}bit`, 'limits.egress': `${bps}bit` };
}

/** Whether two cards are alike. */
export function isSameCard(a: Device, b: Device): boolean {
  return [...Object.keys(a), ...Object.keys(b)].every((key) => a[key] === b[key]);
}

function withoutKeys(card: Device, keys: RegExp): Device {
  return Object.fromEntries(Object.entries(card).filter(([key]) => !keys.test(key)));
}

/** The body of the request that makes a guest. The same input always gives the same. */
export function newInstance(
  spec: GuestSpec,
  where: Surroundings,
  image: { fingerprint: string; type: string; user: string; passwordHash?: string },
  { config = {}, card }: { config?: Device; card?: Device } = {},
): object {
  const { id, mac, addresses, hostname } = spec;
  const { user, passwordHash } = image;
  return {
    name: nameOf(id),
    type: image.type,
    source: { type: 'image', fingerprint: image.fingerprint },
    config: {
      ...limitsOf(spec),
      // What should run is started by the service, which alone knows.
      'boot.autostart': 'false',
      'cloud-init.user-data': userData({ ...spec, user, passwordHash }, { hostname }),
      'cloud-init.network-config': networkConfig(spec),
      [KEYS.id]: id,
      [KEYS.mac]: mac,
      [KEYS.addresses]: JSON.stringify(addresses),
      ...config,
    },
    // Of a guest that is made anew the limits stay.
    devices: { root: rootDisk(spec, where), eth0: { ...networkCard(spec, where), ...limitsIn(card) } },
  };
}

function limitsIn(card: Device = {}): Device {
  return Object.fromEntries(Object.entries(card).filter(([key]) => LIMITS.test(key)));
}

/** The card is found by its MAC address, as its name depends on the kind of machine. Incus hands out its addresses. */
function networkConfig({ mac, addresses }: Pick<GuestSpec, 'mac' | 'addresses'>): string {
  const has = (family: 4 | 6) => addresses.some((address) => address.family === family);
  const card = { match: { macaddress: mac }, dhcp4: has(4), dhcp6: has(6) };
  return yaml({ version: 2, ethernets: { primary: card } }, ['ethernets.primary.match']);
}
