import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { GatewayClient } from '../../../server/gateway/nftables/client.ts';
import { Namespace, run } from '../../compute/routed/support/namespace.ts';
import { defer } from '../../support/cleanup.ts';
import { whyNoPackets } from '../../support/helper-process.ts';
import { untilListening } from '../../support/listening.ts';
import { type GatewayHelper, gatewayHelper } from './helper.ts';

const PROGRAMS = ['nft', 'ip', 'nsenter', 'setpriv', 'conntrack', 'keepalived', 'exabgp', 'bird'];

/** Returns why tests with real packets cannot run here, or false. */
export const whyNot = () => whyNoPackets(PROGRAMS);

/** The public address, and the hosts' default route: one gateway at a time has both. */
export const PUBLIC = '192.0.2.10';
const INSIDE = '10.9.0.1';
export const CLIENT = '198.51.100.2';
const BRIDGE = '100.64.0.1';

/** The tested mechanism, outside the service, that decides which gateway of a region is in charge. */
export interface Takeover {
  /** Called once, before the mechanism decides anything. */
  prepare(t: TestContext, region: Region): Promise<void>;
  /** Makes a gateway take part while its service is ready; the returned function ends that like a crash. */
  join(
    t: TestContext,
    gateway: Gateway,
    of: { index: number; operatorSocket: string },
  ): Promise<() => Promise<void>>;
  /** True if all traffic for the region goes through this gateway. */
  isInCharge(region: Region, index: number): Promise<boolean>;
}

/** A client on the internet, gateways, and behind them hosts with guests: each is a namespace. */
export class Region {
  readonly client: Namespace;
  readonly hosts: Namespace[];
  readonly #wan: Namespace;
  readonly #lan: Namespace;
  readonly gateways: Gateway[] = [];

  private constructor([client, wan, lan, ...hosts]: Namespace[]) {
    this.client = client!;
    this.#wan = wan!;
    this.#lan = lan!;
    this.hosts = hosts;
  }

  static async open(t: TestContext, { gateways = 1 } = {}): Promise<Region> {
    const spaces: Namespace[] = [];
    for (let i = 0; i < 5; i++) spaces.push(await Namespace.make(t));
    const region = new Region(spaces);
    for (const net of [region.#wan, region.#lan]) await net.ip('link add br0 type bridge', 'link set br0 up');
    await plug(region.#wan, region.client, 'c0');
    await region.client.ip(`addr add ${CLIENT}/24 dev c0`, 'link set c0 up', `route add ${PUBLIC} dev c0`);
    await region.client.inhabit(t);
    for (const [index, host] of region.hosts.entries()) {
      await plug(region.#lan, host, 'h0');
      await host.ip(
        `addr add ${addressOfHost(index)}/24 dev h0`,
        'link set h0 up',
        `route add default via ${INSIDE}`,
      );
      await route(host);
    }
    for (let index = 0; index < gateways; index++) await region.#addGateway(t);
    await region.gateways[0]!.take();
    return region;
  }

  async #addGateway(t: TestContext): Promise<void> {
    const number = this.gateways.length + 11;
    const space = await Namespace.make(t);
    await plug(this.#wan, space, 'w0');
    await plug(this.#lan, space, 'l0');
    await space.ip(
      `addr add 198.51.100.${number}/24 dev w0`,
      `addr add 10.9.0.${number}/24 dev l0`,
      'link set w0 up',
      'link set l0 up',
    );
    await route(space);
    this.gateways.push(await Gateway.open(t, space));
  }

  /** Creates a guest that every host can run. It runs on the first, and all routers know where it is. */
  async guest(t: TestContext, address: string): Promise<Guest> {
    const space = await Namespace.make(t);
    for (const [index, host] of this.hosts.entries()) {
      const name = `g${address.split('.').at(-1)}`;
      const peer = `peer name e${index} netns ${space.name}`;
      await host.run('ip', ...`link add ${name} type veth ${peer}`.split(' '));
      await host.ip(`addr add ${BRIDGE}/32 dev ${name}`, `link set ${name} up`);
    }
    const guest = new Guest(this, space, address);
    await guest.moveTo(0);
    await space.inhabit(t);
    return guest;
  }
}

/** A guest; its host announces by BGP where its address is. */
export class Guest {
  readonly space: Namespace;
  readonly address: string;
  readonly #region: Region;

  constructor(region: Region, space: Namespace, address: string) {
    this.#region = region;
    this.space = space;
    this.address = address;
  }

  async moveTo(index: number): Promise<void> {
    const { hosts, gateways } = this.#region;
    await this.space.ip(
      ...hosts.map((_, other) => `addr flush dev e${other}`),
      ...hosts.map((_, other) => `link set e${other} down`),
      `link set e${index} up`,
      `addr add ${this.address}/32 dev e${index}`,
      `route add ${BRIDGE} dev e${index}`,
      `route add default via ${BRIDGE} dev e${index}`,
    );
    for (const [other, host] of hosts.entries()) {
      const name = `g${this.address.split('.').at(-1)}`;
      const way = other === index ? `dev ${name}` : `via ${addressOfHost(index)}`;
      await host.ip(`route replace ${this.address} ${way}`);
    }
    for (const { space } of gateways)
      await space.ip(`route replace ${this.address} via ${addressOfHost(index)}`);
  }
}

/** A host that can be the region's gateway, with the helper in it. */
export class Gateway {
  readonly space: Namespace;
  readonly #of: GatewayHelper;
  #helper: ChildProcess | undefined;

  private constructor(space: Namespace, of: GatewayHelper) {
    this.space = space;
    this.#of = of;
  }

  get socket(): string {
    return this.#of.socket;
  }

  get directory(): string {
    return this.#of.directory;
  }

  static async open(t: TestContext, space: Namespace): Promise<Gateway> {
    const lines = [
      'guest_prefixes: [100.64.0.0/14]',
      `forwards: [{ address: ${PUBLIC}, ports: 20000-59999 }]`,
    ];
    const gateway = new Gateway(space, await gatewayHelper(t, `${lines.join('\n')}\n`));
    await gateway.startHelper();
    defer(t, () => gateway.stopHelper('SIGTERM'));
    return gateway;
  }

  client(t: TestContext): GatewayClient {
    const client = new GatewayClient(this.socket);
    defer(t, () => client.close());
    return client;
  }

  /** Returns its addresses, including those of its cables. */
  addresses(): Promise<string> {
    return this.space.run('ip', '-o', '-4', 'addr', 'show');
  }

  /** Takes the public and the inside address. */
  async take(): Promise<void> {
    await this.space.ip(`addr add ${PUBLIC}/32 dev w0`, `addr add ${INSIDE}/24 dev l0`);
  }

  async release(): Promise<void> {
    await this.space.ip(`addr del ${PUBLIC}/32 dev w0`, `addr del ${INSIDE}/24 dev l0`);
  }

  async startHelper(): Promise<void> {
    const [program, args] = this.space.command(...this.#of.command);
    this.#helper = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await untilListening(this.#helper);
  }

  async stopHelper(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const helper = this.#helper!;
    if (helper.exitCode !== null || helper.signalCode !== null) return;
    const ended = once(helper, 'exit');
    helper.kill(signal);
    await ended;
  }

  /** Stops the helper's watch, so that changes of the table go unnoticed. */
  async pauseWatch(): Promise<void> {
    const children = (await run('pgrep', '-P', `${this.#helper!.pid}`)).trim().split('\n');
    for (const child of children) process.kill(Number(child), 'SIGSTOP');
  }

  /** Returns the table's content; empty if there is no table. */
  table(): Promise<string> {
    return this.space.run('nft', 'list', 'table', 'ip', 'vauban-gateway').catch(() => '');
  }
}

const addressOfHost = (index: number) => `10.9.0.${index + 21}`;

/** Plugs one end of a cable into a switch and the other into a machine, where the interface gets this name. */
async function plug(net: Namespace, machine: Namespace, name: string): Promise<void> {
  const port = `p${machine.name.split('-').at(-1)}`;
  await machine.run('ip', ...`link add ${name} type veth peer name ${port} netns ${net.name}`.split(' '));
  await net.ip(`link set ${port} master br0`, `link set ${port} up`);
}

/** Enables IP forwarding on a machine. */
async function route(machine: Namespace): Promise<void> {
  await machine.run('sh', '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward');
}

export const REFUSED = /ECONNREFUSED|ECONNRESET|refused/;

/** Returns the echo that a client reads from behind a forwarded port; rejects if the connection is refused. */
export async function echo(from: Namespace, port: number, text = 'hello', host = PUBLIC): Promise<string> {
  const socket = (await from.ask({ do: 'dial', host, port })) as number;
  return (await from.ask({ do: 'echo', socket, text })) as string;
}
