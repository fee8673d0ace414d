import type { DiskSpeed, GuestAddress, GuestSize, GuestSpec } from '../driver.ts';
import { userData, yaml } from '../inside/user-data.ts';
import { KEYS, nameOf } from './instance.ts';

/** The project, network and storage pool that this service's guests use on the cluster. */
export interface Surroundings {
  project: string;
  /** The bridge that guests are connected to; it has the same name on each member. */
  network: string;
  pool: string;
}

type Device = Record<string, string>;

export function limitsOf({ vcpu, ramMb }: Pick<GuestSize, 'vcpu' | 'ramMb'>): Record<string, string> {
  return { 'limits.cpu': `${vcpu}`, 'limits.memory': `${ramMb}MiB` };
}

/** Returns the root disk. Incus can limit either requests or bytes per second. */
export function rootDisk(
  { diskGb, disk }: Pick<GuestSize, 'diskGb' | 'disk'>,
  { pool }: Surroundings,
): Device {
  return { type: 'disk', path: '/', pool, size: `${diskGb}GB`, ...speedOf(disk) };
}

function speedOf({ iops, mbps }: DiskSpeed = {}): Device {
  if (iops !== undefined && mbps !== undefined)
    throw new Error(
      'Incus limits a disk by requests or by bytes per second, but not by both: see docs/incus.md',
    );
  if (iops === undefined && mbps === undefined) return {};
  return { 'limits.max': iops === undefined ? `${mbps}MB` : `${iops}iops` };
}

/**
 * Returns the network card. The guest can send only from its own addresses, and only traffic that its rules allow
 * passes.
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

/** Returns the card of a running guest, whose addresses its member announces. */
export function announced(card: Device, addresses: readonly GuestAddress[]): Device {
  const routes = addresses.map(({ address, family }) => [
    `ipv${family}.routes.external`,
    `${address}/${family === 4 ? 32 : 128}`,
  ]);
  return { ...withoutKeys(card, ROUTES), ...Object.fromEntries(routes) };
}

/**
 * Returns the card of a guest about to start, without routes: a failed start would leave them on the member and block
 * the next one.
 */
export const unannounced = (card: Device): Device => withoutKeys(card, ROUTES);

/** Returns the card limited to `bps` bit/s in each direction, or unlimited. */
export function limited(card: Device, bps: number | undefined): Device {
  const others = withoutKeys(card, LIMITS);
  return bps === undefined
    ? others
    : { ...others, 'limits.ingress': `${bps}bit`, 'limits.egress': `${bps}bit` };
}

export function isSameCard(a: Device, b: Device): boolean {
  return [...Object.keys(a), ...Object.keys(b)].every((key) => a[key] === b[key]);
}

function withoutKeys(card: Device, keys: RegExp): Device {
  return Object.fromEntries(Object.entries(card).filter(([key]) => !keys.test(key)));
}

/** Returns the body of the request that creates a guest. The same input always gives the same body. */
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
      // Only the service knows which guests should run, so it starts them.
      'boot.autostart': 'false',
      'cloud-init.user-data': userData({ ...spec, user, passwordHash }, { hostname }),
      'cloud-init.network-config': networkConfig(spec),
      [KEYS.id]: id,
      [KEYS.mac]: mac,
      [KEYS.addresses]: JSON.stringify(addresses),
      ...config,
    },
    // A rebuilt guest keeps its limits.
    devices: { root: rootDisk(spec, where), eth0: { ...networkCard(spec, where), ...limitsIn(card) } },
  };
}

function limitsIn(card: Device = {}): Device {
  return Object.fromEntries(Object.entries(card).filter(([key]) => LIMITS.test(key)));
}

/**
 * Identifies the card by its MAC address, because its name depends on the kind of machine. Incus assigns the addresses
 * by DHCP.
 */
function networkConfig({ mac, addresses }: Pick<GuestSpec, 'mac' | 'addresses'>): string {
  const has = (family: 4 | 6) => addresses.some((address) => address.family === family);
  const card = { match: { macaddress: mac }, dhcp4: has(4), dhcp6: has(6) };
  return yaml({ version: 2, ethernets: { primary: card } }, ['ethernets.primary.match']);
}
