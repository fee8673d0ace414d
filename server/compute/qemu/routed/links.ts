import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { canonicalIp } from '../../../platform/cidr.ts';
import { parseListing } from '../../../platform/nftables/program.ts';
import { isAddress } from '../../../platform/strict-shapes.ts';
import { ComputeUnavailableError } from '../../driver.ts';
import { type NetworkGuest, ROUTER_6 } from '../network/network.ts';
import { type Card, isV6 } from './card.ts';
import { run } from './commands.ts';
import { TAP_PREFIX } from './names.ts';

/** Kernel settings of a guest's interface. */
const TAP_SETTINGS: Record<string, string> = {
  'ipv4/conf/TAP/forwarding': '1',
  // The host answers for every address that it reaches elsewhere: the gateway and other guests of the same network …
  'ipv4/conf/TAP/proxy_arp': '1',
  'ipv6/conf/TAP/proxy_ndp': '1',
  // … and immediately: by default, it waits up to 0.8 s in case another host answers.
  'ipv4/neigh/TAP/proxy_delay': '0',
  'ipv6/neigh/TAP/proxy_delay': '0',
  // The host must not accept a guest as a router.
  'ipv4/conf/TAP/accept_redirects': '0',
  'ipv6/conf/TAP/accept_redirects': '0',
  'ipv6/conf/TAP/accept_ra': '0',
  'ipv6/conf/TAP/forwarding': '1',
};

/** Kernel settings without which the host forwards nothing; set in this order. */
const HOST_SETTINGS: [string, string][] = [
  ['ipv4/conf/all/forwarding', '1'],
  ['ipv6/conf/all/forwarding', '1'],
  ['ipv4/conf/UPLINK/forwarding', '1'],
  ['ipv6/conf/UPLINK/forwarding', '1'],
  // Answers on the uplink for guests' addresses, for networks without a router that routes them here.
  ['ipv6/conf/UPLINK/proxy_ndp', '1'],
];

/** Returns commands for `ip -batch` that route a guest's addresses to its interface. They can be repeated safely. */
export function routeLines(guest: NetworkGuest, { tap, mac, addresses }: Card, uplink: string): string[] {
  const gateways = new Set(
    guest.addresses.filter(({ family }) => family === 6).map(({ gateway }) => canonicalIp(gateway)),
  );
  return [
    `link set dev ${tap} alias ${guest.id}`,
    `link set dev ${tap} up`,
    // Every interface has this address. That is safe, because each is a separate link.
    `addr replace ${ROUTER_6}/64 dev ${tap} nodad`,
    ...addresses.flatMap((address) => [
      `route replace ${address}/${isV6(address) ? 128 : 32} dev ${tap}`,
      // Permanent, so the host never asks for it and no other guest can answer.
      `neigh replace ${address} lladdr ${mac} dev ${tap} nud permanent`,
      `neigh replace proxy ${address} dev ${uplink}`,
    ]),
    // IPv6 cannot proxy a whole network, so each address that the host answers for is listed.
    ...[...gateways].map((gateway) => `neigh replace proxy ${gateway} dev ${tap}`),
  ];
}

/**
 * Creates a guest's interface unless it exists, and routes its addresses to it. The guest's user may open it without
 * privileges.
 */
export async function connectTap(guest: NetworkGuest, card: Card, uplink: string): Promise<void> {
  const owner = guest.uid === undefined ? [] : ['user', `${guest.uid}`];
  const add = () => run('ip', ['tuntap', 'add', 'dev', card.tap, 'mode', 'tap', ...owner]);
  await add().catch(async (error) => {
    if (!(await hasLink(card.tap))) throw error;
    if (!(await isForeign(card.tap, guest.uid))) return;
    // Belongs to another user, as guests of an earlier version did. The owner of an interface cannot be changed.
    await run('ip', ['link', 'del', 'dev', card.tap]);
    await add();
  });
  setTap(card.tap);
  await run('ip', ['-batch', '-'], `${routeLines(guest, card, uplink).join('\n')}\n`);
}

/** Repairs the routes of guests whose interfaces exist. Returns the ids of the others. */
export async function reassertRoutes(guests: [NetworkGuest, Card][], uplink: string): Promise<string[]> {
  const links = await linkNames();
  const linked = guests.filter(([, card]) => links.has(card.tap));
  for (const [, { tap }] of linked) setTap(tap);
  const lines = linked.flatMap(([guest, card]) => routeLines(guest, card, uplink));
  if (lines.length > 0) await run('ip', ['-batch', '-'], `${lines.join('\n')}\n`);
  return guests.filter(([, card]) => !links.has(card.tap)).map(([{ id }]) => id);
}

/** Returns guests' addresses, each with the interface it is routed to. */
export async function routesToTaps(): Promise<Map<string, string>> {
  const shown = await Promise.all(['-4', '-6'].map((family) => run('ip', ['-j', family, 'route', 'show'])));
  const routes = shown.flatMap((json) => parseListing(json) as { dst: string; dev?: string }[]);
  return new Map(
    routes.flatMap(({ dst, dev }) =>
      dev?.startsWith(TAP_PREFIX) && isAddress(dst) ? [[canonicalIp(dst), dev] as const] : [],
    ),
  );
}

/**
 * Removes a guest's interface and routes. Also removes the proxy entries on the uplink for the `known` addresses and
 * those routed to the interface.
 */
export async function disconnectTap(tap: string, known: string[], uplink: string): Promise<void> {
  const addresses = new Set(known);
  if (await hasLink(tap)) {
    for (const address of await routedTo(tap)) addresses.add(address);
    await run('ip', ['link', 'del', 'dev', tap]);
  }
  const lines = [...addresses].flatMap((address) => [
    // Added first, because deleting a missing entry is an error.
    `neigh replace proxy ${address} dev ${uplink}`,
    `neigh del proxy ${address} dev ${uplink}`,
  ]);
  if (lines.length > 0) await run('ip', ['-batch', '-'], `${lines.join('\n')}\n`);
}

async function routedTo(tap: string): Promise<string[]> {
  const shown = await Promise.all(
    ['-4', '-6'].map((family) => run('ip', ['-j', family, 'route', 'show', 'dev', tap])),
  );
  const routes = shown.flatMap((json) => parseListing(json) as { dst: string }[]);
  return routes.map(({ dst }) => dst).filter(isAddress);
}

/** Returns the interface of the default route. Throws {@link ComputeUnavailableError} if there is none. */
export async function findUplink(): Promise<string> {
  for (const family of ['-4', '-6']) {
    const routes = parseListing(await run('ip', ['-j', family, 'route', 'show', 'default'])) as {
      dev?: string;
    }[];
    const uplink = routes.find(({ dev }) => dev)?.dev;
    if (uplink) return uplink;
  }
  throw new ComputeUnavailableError(
    'this host has no default route: set VAUBAN_QEMU_UPLINK to its outgoing interface',
  );
}

/** Returns the addresses that no guest may have: those of the host and its routers, except for loopback and link-local. */
export async function reservedAddresses(): Promise<Set<string>> {
  const [links, ...routes] = await Promise.all([
    run('ip', ['-j', 'addr', 'show', 'scope', 'global']),
    ...['-4', '-6'].map((family) => run('ip', ['-j', family, 'route', 'show', 'default'])),
  ]);
  const own = parseListing(links) as { addr_info?: { local?: string }[] }[];
  const routers = routes.flatMap((json) => parseListing(json) as { gateway?: string }[]);
  const found = [
    ...own.flatMap(({ addr_info }) => addr_info?.map(({ local }) => local) ?? []),
    ...routers.map(({ gateway }) => gateway),
  ];
  return new Set(found.flatMap((address) => (address ? [canonicalIp(address)] : [])));
}

export async function enableForwarding(uplink: string): Promise<void> {
  // With forwarding on, the kernel ignores router advertisements, and the host would lose its own default route; 2
  // accepts them anyway.
  const announced = `ipv6/conf/${uplink}/accept_ra`;
  if ((await get(announced)) === '1') set(announced, '2');
  for (const [name, value] of HOST_SETTINGS) set(name.replace('UPLINK', uplink), value);
}

/** An interface's settings in one family, as `ip netconf` reports them; `all` is one of the interfaces. */
interface NetConf {
  family: 'inet' | 'inet6';
  interface: string;
  forwarding?: boolean;
  /** `proxy_arp` or `proxy_ndp`. */
  proxy_neigh?: boolean;
}

/**
 * Returns whether the host forwards packets and the addresses of guests with an interface are routed to it, in other
 * words whether nothing has disabled forwarding or removed a route. Called each time a guest comes or goes, so it asks
 * the kernel once for all guests.
 */
export async function waysAreSound(cards: Card[], uplink: string): Promise<boolean> {
  const [json, routes] = await Promise.all([run('ip', ['-j', 'netconf', 'show']), routesToTaps()]);
  const shown = parseListing(json) as NetConf[];
  const settings = new Map(shown.map((each) => [`${each.family} ${each.interface}`, each]));
  const forwards = (name: string) =>
    ['inet', 'inet6'].every((family) => settings.get(`${family} ${name}`)?.forwarding);
  const answers = (name: string, family: NetConf['family']) => settings.get(`${family} ${name}`)?.proxy_neigh;
  if (!forwards('all') || !forwards(uplink) || !answers(uplink, 'inet6')) return false;
  const linked = cards.filter(({ tap }) => settings.has(`inet ${tap}`));
  return linked.every(
    ({ tap, addresses }) =>
      forwards(tap) &&
      answers(tap, 'inet') &&
      answers(tap, 'inet6') &&
      addresses.every((address) => routes.get(address) === tap),
  );
}

export async function hasLink(name: string): Promise<boolean> {
  return (await linkNames()).has(name);
}

/** Returns whether an existing interface belongs to a user other than this one. */
async function isForeign(tap: string, uid?: number): Promise<boolean> {
  const [link] = parseListing(await run('ip', ['-j', '-d', 'link', 'show', 'dev', tap])) as {
    linkinfo?: { info_data?: { user?: number | string } };
  }[];
  // `ip` prints the user's name if there is one.
  const user = link?.linkinfo?.info_data?.user;
  return user !== undefined && user !== uid;
}

async function linkNames(): Promise<Set<string>> {
  const links = parseListing(await run('ip', ['-j', 'link', 'show'])) as { ifname: string }[];
  return new Set(links.map(({ ifname }) => ifname));
}

function setTap(tap: string): void {
  for (const [name, value] of Object.entries(TAP_SETTINGS)) set(name.replace('TAP', tap), value);
}

/** Returns a kernel network setting; '' if it does not exist, for example because the interface has just disappeared. */
async function get(name: string): Promise<string> {
  return (await readFile(`/proc/sys/net/${name}`, 'utf8').catch(() => '')).trim();
}

/**
 * Synchronous: the kernel has the values in memory, and nine thousand round trips to a worker thread would take seconds
 * on a busy host.
 */
function set(name: string, value: string): void {
  writeFileSync(`/proc/sys/net/${name}`, value);
}
