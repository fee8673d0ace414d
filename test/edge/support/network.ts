import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, type TestOptions, test } from 'node:test';
import { EdgeClient } from '../../../server/edge/nftables/client.ts';
import { Namespace, run } from '../../compute/routed/support/namespace.ts';
import { defer, type Lifetime } from '../../support/cleanup.ts';
import { HELPER_USER, PRIVILEGES, whyNoPackets } from '../../support/helper-process.ts';
import { untilListening } from '../../support/listening.ts';
import { REPOSITORY } from '../../support/source.ts';
import { ATTACKER_MAC, EDGE_MAC, type Frame, trafgenConfig } from './frames.ts';

const PROGRAMS = ['nft', 'ip', 'tc', 'nsenter', 'setpriv', 'trafgen', 'iperf3'];

/** Returns why tests with real packets cannot run here, or false. */
export const whyNot = () => whyNoPackets(PROGRAMS);

/** The networks that the edge protects; each test chooses the victim's addresses. */
export const PREFIXES = ['203.0.113.0/24', '100.64.0.0/14', '2001:db8:b::/48'];
/** The MTU of Ethernet with jumbo frames. */
export const JUMBO = 9_000;
const LOOSE = '/proc/sys/net/netfilter/nf_conntrack_tcp_loose';
/** Loads the kernel's connection tracking, as a rule that matches the state of a connection does. */
const LOAD_CONNTRACK =
  "nft 'add table inet load; add chain inet load c { type filter hook forward priority 0; }; add rule inet load c ct state new'; nft delete table inet load";
/** Packets per second: more than any limit in the tests, and more than these machines can send. */
const FAST = 200_000;
/** The address of ordinary users on the attacker's side. */
export const CLIENT = '198.51.100.3';

/** The edge's links to the attacker, in the order in which they are made; the victim's is e1. */
const LINKS = ['0', '2', '3'];

/** Tests an edge with one device, and one with two: nft lists one differently from several. */
export function testDevices(
  name: string,
  options: TestOptions,
  body: (t: TestContext, devices: number) => Promise<void>,
): void {
  for (const devices of [1, 2]) test(`${name}; devices: ${devices}`, options, (t) => body(t, devices));
}

interface EdgeOptions {
  mtu?: number;
  synProxy?: boolean;
  /** The number of devices through which packets arrive, at most three. */
  devices?: number;
}

/** An attacker, an edge with its helper, and a victim behind it, each in a namespace, joined by veth pairs. */
export class EdgeNetwork {
  readonly attacker: Namespace;
  readonly edge: Namespace;
  readonly victim: Namespace;
  readonly socket: string;
  /** The helper's log so far. */
  log = '';
  readonly #directory: string;
  readonly #links: readonly string[];
  #helper: ChildProcess | undefined;
  #files = 0;

  private constructor(spaces: [Namespace, Namespace, Namespace], directory: string, links: string[]) {
    [this.attacker, this.edge, this.victim] = spaces;
    this.#directory = directory;
    this.#links = links;
    this.socket = join(directory, 'edge.sock');
  }

  static async open(
    t: Lifetime,
    { mtu = 1_500, synProxy = false, devices = 1 }: EdgeOptions = {},
  ): Promise<EdgeNetwork> {
    const spaces = [await Namespace.make(t), await Namespace.make(t), await Namespace.make(t)] as const;
    const [attacker, edge, victim] = spaces;
    const links = LINKS.slice(0, devices);
    for (const link of links) {
      const peer = ['peer', 'name', `e${link}`, 'netns', edge.name];
      await attacker.run('ip', 'link', 'add', `a${link}`, 'type', 'veth', ...peer);
    }
    await victim.run('ip', 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'e1', 'netns', edge.name);
    await attacker.ip(
      `link set a0 address ${ATTACKER_MAC}`,
      'addr add 198.51.100.2/24 dev a0',
      `addr add ${CLIENT}/24 dev a0`,
      'addr add 2001:db8:a::2/64 dev a0 nodad',
      `link set a0 mtu ${mtu} up`,
      'route add default via 198.51.100.1',
      'route add default via 2001:db8:a::1',
      `neigh add 198.51.100.1 lladdr ${EDGE_MAC} dev a0`,
    );
    await edge.ip(
      `link set e0 address ${EDGE_MAC}`,
      'addr add 198.51.100.1/24 dev e0',
      'addr add 2001:db8:a::1/64 dev e0 nodad',
      'addr add 203.0.113.1/24 dev e1',
      'addr add 2001:db8:b::1/64 dev e1 nodad',
      `link set e0 mtu ${mtu} up`,
      `link set e1 mtu ${mtu} up`,
      'route add 100.64.0.0/14 via 203.0.113.9',
    );
    await victim.ip(
      'addr add 203.0.113.9/24 dev v0',
      'addr add 2001:db8:b::9/64 dev v0 nodad',
      `link set v0 mtu ${mtu} up`,
      'route add default via 203.0.113.1',
      'route add default via 2001:db8:b::1',
    );
    for (const link of links.slice(1)) {
      await attacker.ip(`link set a${link} mtu ${mtu} up`);
      await edge.ip(`link set e${link} address ${EDGE_MAC} mtu ${mtu} up`);
    }
    // A new namespace inherits the machine's IP forwarding, which would bounce packets to unknown addresses back and
    // forth.
    await victim.run('sh', '-c', 'echo 0 >/proc/sys/net/ipv4/ip_forward');
    await edge.run(
      'sh',
      '-c',
      'echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding',
    );
    const directory = await mkdtemp(join(tmpdir(), 'vauban-edge-'));
    defer(t, () => rm(directory, { recursive: true }));
    const network = new EdgeNetwork([...spaces], directory, links);
    await chown(directory, Number(await run('id', '-u', HELPER_USER)), 0);
    await chmod(directory, 0o755);
    await network.configure({ synProxy });
    await network.startHelper();
    defer(t, () => network.stopHelper());
    return network;
  }

  /** Writes the helper's configuration, which takes effect at its next start. */
  async configure({ synProxy }: { synProxy: boolean }): Promise<void> {
    // The operator's part of the setup: connections whose beginning was not seen are invalid.
    if (synProxy) await this.edge.run('sh', '-c', `${LOAD_CONNTRACK}; echo 0 >${LOOSE}`);
    const devices = this.#links.map((link) => `e${link}`).join(', ');
    const lines = [
      `devices: [${devices}]`,
      `protected_prefixes: [${PREFIXES.join(', ')}]`,
      `syn_proxy: ${synProxy}`,
    ];
    await writeFile(join(this.#directory, 'edge.yaml'), `${lines.join('\n')}\n`);
  }

  client(): EdgeClient {
    return new EdgeClient(this.socket);
  }

  async startHelper(): Promise<void> {
    const helper = [process.execPath, join(REPOSITORY, 'server/edged.ts')];
    const flags = ['--config', join(this.#directory, 'edge.yaml'), '--socket', this.socket];
    const [program, args] = this.edge.command('setpriv', ...PRIVILEGES, '--', ...helper, ...flags);
    this.#helper = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#helper.stdout!.on('data', (chunk) => {
      this.log += chunk;
    });
    await untilListening(this.#helper);
  }

  async stopHelper(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const helper = this.#helper!;
    if (helper.exitCode !== null || helper.signalCode !== null) return;
    const ended = once(helper, 'exit');
    helper.kill(signal);
    await ended;
  }

  /** Sends these frames once each, from the attacker to the edge; resolves when they have arrived. */
  async send(frames: Frame[]): Promise<void> {
    const before = await this.received();
    await this.stream(frames, frames.length);
    await this.untilReceived(before + frames.length);
  }

  /** Sends these frames once each through every device; resolves when they have arrived. */
  async sendEverywhere(frames: Frame[]): Promise<void> {
    for (const link of this.#links) {
      const before = await this.received(link);
      await this.#send(link, frames, frames.length, '--rate', `${FAST}pps`);
      while ((await this.received(link)) < before + frames.length);
    }
  }

  /**
   * Sends a frame `count` times as fast as one core can. Resolves with the packets per second when all have arrived.
   */
  async rush(frame: Frame, count: number): Promise<number> {
    const before = await this.received();
    const started = performance.now();
    await this.#send('0', [frame], count);
    await this.untilReceived(before + count);
    return count / ((performance.now() - started) / 1_000);
  }

  get helperPid(): number {
    return this.#helper!.pid!;
  }

  /** Sends a frame `count` times; resolves when all have arrived. */
  async flood(frame: Frame, count: number): Promise<void> {
    const before = await this.received();
    await this.stream([frame], count);
    await this.untilReceived(before + count);
  }

  /**
   * Sends `count` frames, cycling through these, at `pps` frames per second. With a rate, trafgen copies each frame
   * into the kernel; without one, it overwrites memory that unsent frames still refer to.
   */
  async stream(frames: Frame[], count: number, pps = FAST): Promise<void> {
    await this.#send('0', frames, count, '--rate', `${pps}pps`);
  }

  /**
   * Sends frames like {@link stream}, but evenly, with a pause after each: trafgen's rate is per second, with a burst
   * at the start of each second.
   */
  async steadily(frames: Frame[], count: number): Promise<void> {
    await this.#send('0', frames, count, '--gap', '20us');
  }

  /**
   * From now on, {@link paced} traffic of the attacker leaves evenly at this rate, enforced by the kernel's shaper. The
   * user's traffic from {@link CLIENT} is not slowed down. A smaller burst makes the traffic more even.
   */
  async pace(mbps: number, burst = '64kb'): Promise<void> {
    const tc = (...words: string[]) => this.attacker.run('tc', ...words);
    const fast = ['parent', '1:', 'classid', '1:1', 'htb', 'rate', '10gbit'];
    const shaped = ['parent', '1:', 'classid', '1:2', 'htb', 'rate', `${mbps}mbit`, 'burst', burst];
    await tc('qdisc', 'replace', 'dev', 'a0', 'root', 'handle', '1:', 'htb', 'default', '2');
    await tc('class', 'replace', 'dev', 'a0', ...fast);
    await tc('class', 'replace', 'dev', 'a0', ...shaped);
    await tc('qdisc', 'replace', 'dev', 'a0', 'parent', '1:2', 'pfifo', 'limit', '2000');
    const user = ['u32', 'match', 'ip', 'src', `${CLIENT}/32`, 'flowid', '1:1'];
    await tc('filter', 'replace', 'dev', 'a0', 'parent', '1:', 'prio', '1', 'protocol', 'ip', ...user);
  }

  /** Sends `count` frames, cycling through these, as fast as the shaper allows. */
  async paced(frames: Frame[], count: number): Promise<void> {
    await this.#send('0', frames, count, '--qdisc-path', '--rate', `${FAST}pps`);
  }

  async #send(link: string, frames: Frame[], count: number, ...pace: string[]): Promise<void> {
    const file = join(this.#directory, `frames-${++this.#files}`);
    await writeFile(file, trafgenConfig(frames));
    const to = ['-o', `a${link}`];
    await this.attacker.run('trafgen', ...to, '-c', file, '-P', '1', '-n', `${count}`, '-J', ...pace);
    await rm(file);
  }

  /** Returns the number of packets that the edge has received through a link, of any kind. */
  async received(link = '0'): Promise<number> {
    const [{ stats64 }] = JSON.parse(
      await this.edge.run('ip', '-s', '-s', '-j', 'link', 'show', 'dev', `e${link}`),
    );
    return stats64.rx.packets;
  }

  async untilReceived(packets: number): Promise<void> {
    while ((await this.received()) < packets);
  }
}
