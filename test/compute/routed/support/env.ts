import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { NetworkPolicy } from '../../../../server/compute/driver.ts';
import { HostClient } from '../../../../server/compute/qemu/host/client.ts';
import { type NetworkGuest, ROUTER_6 } from '../../../../server/compute/qemu/network/network.ts';
import { tapName } from '../../../../server/compute/qemu/routed/names.ts';
import { defer } from '../../../support/cleanup.ts';
import { GUEST_UIDS } from '../../../support/guest-uids.ts';
import { untilListening } from '../../../support/listening.ts';
import { REPOSITORY } from '../../../support/source.ts';
import { skipUnlessRequired } from '../../../support/tiny-image.ts';
import { hex } from './frames.ts';
import { Namespace, run } from './namespace.ts';

const PROGRAMS = [
  '/usr/sbin/nft',
  '/usr/sbin/ip',
  '/usr/sbin/mausezahn',
  '/usr/bin/nsenter',
  '/usr/bin/setpriv',
  '/usr/bin/ping',
];

/** Returns why tests with real packets cannot run here, or false. */
export function whyNot(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for network namespaces';
  const missing = PROGRAMS.filter(
    (program) => !existsSync(program) && !existsSync(program.replace('sbin', 'bin')),
  );
  if (missing.length > 0) return skipUnlessRequired(`needs ${missing.join(', ')}`);
  // As QEMU opens it, which runs as this user. The kernel makes the device accessible only to root; udev and host:setup
  // change that.
  const open = [`--reuid=${GUESTS_USER}`, '--clear-groups', 'sh', '-c', ': <>/dev/net/tun'];
  const { status, stderr } = spawnSync('setpriv', open, { encoding: 'utf8' });
  return status === 0 ? false : skipUnlessRequired(`npm run host:setup: ${stderr.trim()}`);
}

export const INTERNET = { 4: '198.51.100.1', 6: '2001:db8:ffff::1' };
export const HOST = { 4: '198.51.100.2', 6: '2001:db8:ffff::2' };
/** The address of port forwards. It is routed to the host, which has it on its uplink. */
export const FORWARD_ADDRESS = '192.0.2.10';
export const GATEWAY = { 4: '203.0.113.1', 6: '2001:db8:1::1' };
/** Stand in for vauban-qemu. */
const GUESTS_USER = 'nobody';
const GUESTS_GROUP = 'nogroup';
/** Stands in for vauban-host. */
const HELPER_USER = 'daemon';
const CAPABILITIES = '-all,+net_admin,+setuid,+setgid,+setpcap,+kill';
/** The privileges that deploy/systemd/vauban-host.service leaves to the helper. */
const PRIVILEGES = [
  `--reuid=${HELPER_USER}`,
  `--regid=${HELPER_USER}`,
  `--groups=${GUESTS_GROUP}`,
  ...['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=${CAPABILITIES}`),
  '--no-new-privs',
];
/** The host's own configuration, with the limits of what guests may have. */
export const ALLOWANCE = `
guest_uids: ${GUEST_UIDS.from}-${GUEST_UIDS.to}
guest_limits: best_effort
guest_prefixes: [203.0.113.0/24, 2001:db8:1::/48, 100.64.0.0/10, 198.51.100.0/24]
forwards:
  - { address: ${FORWARD_ADDRESS}, ports: 1000-9999 }
`;
/** The port of marker packets, which prove that everything sent before them has arrived. */
const MARK_PORT = 7;

export const OPEN: NetworkPolicy = {
  defaultIn: 'accept',
  defaultOut: 'accept',
  firewall: [],
  portForwards: [],
};
export const CLOSED: NetworkPolicy = { ...OPEN, defaultIn: 'drop' };

export interface TestGuest extends NetworkGuest {
  tap: string;
  v4: string;
  v6: string;
  space: Namespace;
  send(frame: number[], count: number): Promise<void>;
}

/**
 * A host between its guests and the internet, each in a namespace. The privileged helper runs in the host's namespace.
 * A guest's network card is one end of a veth pair; the other end has the name of its tap device.
 */
export class Env {
  readonly internet: Namespace;
  readonly host: Namespace;
  readonly network: HostClient;
  readonly socket: string;
  /** The parent of the guests' directories. */
  readonly pool: string;

  private constructor(internet: Namespace, host: Namespace, directory: string) {
    this.internet = internet;
    this.host = host;
    this.socket = join(directory, 'host.sock');
    this.pool = join(directory, 'guests');
    this.network = new HostClient(this.socket);
  }

  /** Opens the environment. `images` is the directory of guest kernels, `allowance` the host's own configuration. */
  static async open(t: TestContext, images = '/nowhere', allowance = ALLOWANCE): Promise<Env> {
    const [internet, host] = [await Namespace.make(t), await Namespace.make(t)];
    await internet.run(
      'ip',
      'link',
      'add',
      'out0',
      'type',
      'veth',
      'peer',
      'name',
      'up0',
      'netns',
      host.name,
    );
    await internet.ip(
      `addr add ${INTERNET[4]}/24 dev out0`,
      `addr add ${INTERNET[6]}/64 dev out0 nodad`,
      'link set out0 up',
      ...[FORWARD_ADDRESS, '203.0.113.0/24'].map((to) => `route add ${to} via ${HOST[4]}`),
      `route add 2001:db8:1::/48 via ${HOST[6]}`,
    );
    await host.ip(
      `addr add ${HOST[4]}/24 dev up0`,
      `addr add ${FORWARD_ADDRESS}/32 dev up0`,
      `addr add ${HOST[6]}/64 dev up0 nodad`,
      'link set up0 up',
      `route add default via ${INTERNET[4]}`,
      `route add default via ${INTERNET[6]}`,
    );
    await Promise.all([internet.inhabit(t), host.inhabit(t)]);
    await Promise.all([listen(internet, MARK_PORT), listen(host, MARK_PORT)]);
    const directory = await mkdtemp(join(tmpdir(), 'vauban-host-'));
    defer(t, () => rm(directory, { recursive: true }));
    const env = new Env(internet, host, directory);
    await chown(directory, Number(await run('id', '-u', HELPER_USER)), 0);
    // QEMU must be able to reach its guest's directory, which has the group of the guests' user.
    await chmod(directory, 0o755);
    await mkdir(env.pool);
    await chown(env.pool, 0, Number(await run('id', '-g', GUESTS_USER)));
    await chmod(env.pool, 0o2710);
    await startHelper(t, env, { images, allowance });
    defer(t, () => env.network.close());
    return env;
  }

  /** Creates a guest with its network card, attached with `policy`. Its addresses are derived from `number`. */
  async guest(t: TestContext, number: number, policy: NetworkPolicy, own4?: string): Promise<TestGuest> {
    const id = `vm_${`${number}`.padStart(26, '0')}`;
    const tap = tapName(id);
    const mac = `52:54:00:00:00:${number.toString(16).padStart(2, '0')}`;
    const v4 = own4 ?? `203.0.113.${number}`;
    const v6 = `2001:db8:1::${number.toString(16)}`;
    const space = await Namespace.make(t);
    await this.host.run(
      'ip',
      'link',
      'add',
      tap,
      'type',
      'veth',
      'peer',
      'name',
      'eth0',
      'netns',
      space.name,
    );
    await space.ip(`link set eth0 address ${mac}`, 'link set eth0 up');
    const addresses = [
      { address: v4, family: 4 as const, prefix: 24, gateway: v4.replace(/\d+$/, '1') },
      { address: v6, family: 6 as const, prefix: 48, gateway: GATEWAY[6] },
    ];
    const network = { id, mac, addresses, directory: `/nowhere/${id}` };
    await this.network.attach(network, policy);
    await space.ip(
      `addr add ${v4}/24 dev eth0`,
      // As in the seed: even neighbours in the same network are reached through the host.
      `addr add ${v6}/128 dev eth0 nodad`,
      `route add default via ${addresses[0]!.gateway}`,
      `route add default via ${ROUTER_6} dev eth0`,
    );
    await space.inhabit(t);
    await listen(space, MARK_PORT);
    const send = async (frame: number[], count: number) => {
      await space.run('mausezahn', 'eth0', '-q', '-c', `${count}`, hex(frame));
    };
    return { ...network, tap, v4, v6, space, send };
  }

  /**
   * Resolves when everything sent between `from` and `to` has been processed: a marker packet follows it to the host
   * and on from there, which no firewall blocks.
   */
  async settle(from: Namespace, to: { space: Namespace; v4: string }): Promise<void> {
    if (from === this.internet) await this.#mark(from, HOST[4], this.host);
    else await this.#mark(this.host, INTERNET[4], this.internet);
    await this.#mark(this.host, to.v4, to.space);
  }

  /**
   * Like {@link settle}, if nothing may pass between the guest and the host. A card's queue is processed in order, so
   * the host's reply to a neighbour request comes after everything sent before.
   */
  async settleHost(guest: TestGuest): Promise<void> {
    await this.#mark(this.internet, HOST[4], this.host);
    await guest.space.run('ping', '-c', '1', '-W', '0.1', INTERNET[4]).catch(() => {});
    await this.#mark(this.host, INTERNET[4], this.internet);
    await this.#mark(this.host, guest.v4, guest.space);
  }

  async #mark(from: Namespace, address: string, to: Namespace): Promise<void> {
    const before = to.arrivals(MARK_PORT).length;
    await from.ask({ do: 'sendUdp', host: address, port: MARK_PORT, count: 1 });
    await to.arrived(MARK_PORT, before + 1);
  }

  /** Returns the number of packets dropped for a spoofed sender, by the address guard or the ARP guard. */
  async spoofed(family: 'inet' | 'arp' = 'inet'): Promise<number> {
    const json = await this.host.run('nft', '-j', 'list', 'counter', family, 'vauban', 'spoofed');
    return JSON.parse(json).nftables.find((one: object) => 'counter' in one).counter.packets;
  }

  /** Returns the MAC address that a guest sends to: that of its interface on the host. */
  async gatewayMac(guest: TestGuest): Promise<string> {
    return JSON.parse(await this.host.run('ip', '-j', 'link', 'show', guest.tap))[0].address;
  }
}

export async function listen(space: Namespace, ...ports: number[]): Promise<void> {
  for (const port of ports) {
    await space.ask({ do: 'listenUdp', port, family: 4 });
    await space.ask({ do: 'listenUdp', port, family: 6 });
    await space.ask({ do: 'listenTcp', port });
  }
}

async function startHelper(
  t: TestContext,
  env: Env,
  { images, allowance }: { images: string; allowance: string },
): Promise<void> {
  const config = join(env.pool, '../host.yaml');
  await writeFile(config, allowance);
  await chmod(config, 0o644);
  const flags = [
    '--config',
    config,
    '--socket',
    env.socket,
    '--pool',
    env.pool,
    '--images',
    images,
    '--uplink',
    'up0',
  ];
  const identity = ['--user', GUESTS_USER, '--group', GUESTS_GROUP];
  const helper = [process.execPath, join(REPOSITORY, 'server/hostd.ts'), ...flags, ...identity];
  const [program, args] = env.host.command('setpriv', ...PRIVILEGES, '--', ...helper);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  defer(t, async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await untilListening(child);
}
