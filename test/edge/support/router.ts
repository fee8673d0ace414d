import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlowspecEdge } from '../../../server/edge/flowspec/flowspec.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { Namespace, run } from '../../compute/routed/support/namespace.ts';
import { defer, type Lifetime } from '../../support/cleanup.ts';
import { skipUnlessRequired } from '../../support/tiny-image.ts';
import { nftOf, type ReceivedRule } from './flowspec-rules.ts';
import { type EdgeNetwork, PREFIXES, whyNot } from './network.ts';

/** Returns why tests with routers cannot run here, or false. */
export function whyNoRouter(): string | false {
  const missing = ['gobgpd', 'gobgp'].filter((program) => !existsSync(join('/usr/bin', program)));
  return (
    whyNot() || (missing.length > 0 && skipUnlessRequired(`needs ${missing.join(', ')} (Debian: gobgpd)`))
  );
}

const FAMILIES = ['ipv4-flowspec', 'ipv6-flowspec', 'ipv4', 'ipv6'];
const AFI_SAFIS = ['ipv4-flowspec', 'ipv6-flowspec', 'ipv4-unicast', 'ipv6-unicast'];
const SPEAKER = { asn: 65_010, address: '192.0.2.1' };
const ROUTER = { asn: 65_020, address: '192.0.2.2' };
/** The well-known community BLACKHOLE of RFC 7999: 65535:666. */
const BLACKHOLE = 0xffff_029a;

/** A route that the router has received, as `gobgp -j` prints it. */
interface Path {
  nlri: { value?: ReceivedRule['parts']; prefix?: string };
  attrs: { type: number; communities?: number[]; value?: unknown }[];
  'neighbor-ip'?: string;
}

/** Packets and bytes by address. */
type Counted = Map<string, { packets: number; bytes: number }>;

/**
 * The service's GoBGP and the router that it sends rules to. The router is another GoBGP in the namespace of the edge;
 * its rules are translated into nft rules there, in front of the edge's own.
 */
export class TestRouter {
  readonly #network: EdgeNetwork;
  readonly #speaker: Namespace;
  readonly #directory: string;
  readonly #children = new Map<string, ChildProcess>();
  #enforced = '';

  private constructor(network: EdgeNetwork, speaker: Namespace, directory: string) {
    [this.#network, this.#speaker, this.#directory] = [network, speaker, directory];
  }

  static async open(t: Lifetime, network: EdgeNetwork): Promise<TestRouter> {
    const speaker = await Namespace.make(t);
    const peer = ['peer', 'name', 'r0', 'netns', network.edge.name];
    await speaker.run('ip', 'link', 'add', 's0', 'type', 'veth', ...peer);
    await speaker.ip(`addr add ${SPEAKER.address}/30 dev s0`, 'link set s0 up');
    await network.edge.ip(`addr add ${ROUTER.address}/30 dev r0`, 'link set r0 up');
    const directory = await mkdtemp(join(tmpdir(), 'vauban-router-'));
    defer(t, () => rm(directory, { recursive: true }));
    const router = new TestRouter(network, speaker, directory);
    await router.#count();
    defer(t, () => router.#stop('router'));
    await router.#start('router', network.edge, ROUTER, SPEAKER);
    defer(t, () => router.stopSpeaker());
    await router.startSpeaker();
    return router;
  }

  edge(over: Partial<ConstructorParameters<typeof FlowspecEdge>[0]> = {}): FlowspecEdge {
    return new FlowspecEdge({
      gobgp: this.gobgp,
      prefixes: PREFIXES,
      maxAnnouncements: 500,
      blackholeCommunity: '65535:666',
      clock: systemClock,
      ...over,
    });
  }

  get gobgp(): string {
    return `unix:${this.#socket('speaker')}`;
  }

  async startSpeaker(): Promise<void> {
    await this.#start('speaker', this.#speaker, SPEAKER, ROUTER);
  }

  stopSpeaker = (): Promise<void> => this.#stop('speaker');

  async connected(): Promise<void> {
    while (!/ Establ /.test(await this.speak('neighbor')));
  }

  speak = (...words: string[]): Promise<string> => this.#gobgp('speaker', ...words);

  /** Waits until the router has received exactly what the service announces, and enforces it. */
  async follow(): Promise<void> {
    for (;;) {
      const [announced, received] = [
        await this.#routes('speaker', false),
        await this.#routes('router', true),
      ];
      if (Object.keys(announced).sort().join() !== Object.keys(received).sort().join()) continue;
      await this.#enforce(received);
      return;
    }
  }

  /** Returns the number of rules and blackholes that the router has received. */
  async received(): Promise<number> {
    return Object.keys(await this.#routes('router', true)).length;
  }

  /** Returns the number of IPv4 rules that the router has received; faster than {@link received}. */
  async rules(): Promise<number> {
    const text = await this.#gobgp('router', '-j', 'global', 'rib', 'summary', '-a', 'ipv4-flowspec');
    return JSON.parse(text).num_path ?? 0;
  }

  /** Returns the router's traffic for an address: incoming, and passed. */
  async totals(ip: string): Promise<Record<'in' | 'passed', { packets: number; bytes: number }>> {
    const none = { packets: 0, bytes: 0 };
    const suffix = ip.includes(':') ? 6 : 4;
    const counted = async (name: string) => (await this.#counted(`${name}${suffix}`)).get(ip) ?? none;
    return { in: await counted('in'), passed: await counted('passed') };
  }

  async #counted(set: string): Promise<Counted> {
    const text = await this.#network.edge.run('nft', '-j', 'list', 'set', 'netdev', 'test-counts', set);
    const items = JSON.parse(text).nftables as {
      set?: { elem?: { elem: { val: string; counter: never } }[] };
    }[];
    const elements = items.flatMap((item) => item.set?.elem ?? []);
    return new Map(elements.map(({ elem }) => [elem.val, elem.counter]));
  }

  /** Counts incoming traffic in front of the router's rules, and passed traffic behind them. */
  async #count(): Promise<void> {
    const sets = [4, 6].flatMap((family) =>
      ['in', 'passed'].map(
        (name) => `set ${name}${family} { type ipv${family}_addr; flags dynamic; size 65535; counter; }`,
      ),
    );
    const chain = (name: string, priority: number) =>
      `chain ${name} { type filter hook ingress device "e0" priority ${priority};
        update @${name}4 { ip daddr }
        update @${name}6 { ip6 daddr }
      }`;
    await this.#nft(
      `table netdev test-counts { ${sets.join('\n')}\n${chain('in', -640)}\n${chain('passed', -600)}\n }\n`,
    );
  }

  async #enforce(routes: Record<string, Path[]>): Promise<void> {
    const key = JSON.stringify(Object.keys(routes).sort());
    if (key === this.#enforced) return;
    const paths = Object.values(routes).flat();
    const dropped = paths.flatMap(({ nlri: { prefix }, attrs }) =>
      prefix && attrs.some(({ communities }) => communities?.includes(BLACKHOLE)) ? [prefix] : [],
    );
    const lines = [
      ...dropped.map((prefix) => `${prefix.includes(':') ? 'ip6' : 'ip'} daddr ${prefix} drop`),
      ...nftOf(
        paths.flatMap(({ nlri, attrs }) => (nlri.value ? [{ parts: nlri.value, rate: rateOf(attrs) }] : [])),
      ),
    ];
    await this.#nft(
      `table netdev test-router { }\ndelete table netdev test-router\ntable netdev test-router {
        chain rules { type filter hook ingress device "e0" priority -620;\n${lines.join('\n')}\n }\n }\n`,
    );
    this.#enforced = key;
  }

  async #nft(text: string): Promise<void> {
    const file = join(this.#directory, 'rules.nft');
    await writeFile(file, text);
    await this.#network.edge.run('nft', '-f', file);
  }

  async #routes(where: 'speaker' | 'router', isReceived: boolean): Promise<Record<string, Path[]>> {
    const found: Record<string, Path[]> = {};
    for (const family of FAMILIES) {
      const text = await this.#gobgp(where, '-j', 'global', 'rib', '-a', family);
      for (const [key, paths] of Object.entries(JSON.parse(text) as Record<string, Path[]>)) {
        const isFromOther = (one: Path) => (one['neighbor-ip'] ?? '<nil>') !== '<nil>';
        if (paths.some((path) => isFromOther(path) === isReceived))
          found[`${key} ${rateOf(paths[0]!.attrs)}`] = paths;
      }
    }
    return found;
  }

  #gobgp(where: string, ...words: string[]): Promise<string> {
    return run('gobgp', '--target', `unix://${this.#socket(where)}`, ...words);
  }

  #socket = (name: string) => join(this.#directory, `${name}.sock`);

  async #start(name: string, space: Namespace, self: typeof SPEAKER, other: typeof SPEAKER): Promise<void> {
    const file = join(this.#directory, `${name}.toml`);
    await writeFile(file, configuration(self, other));
    await rm(this.#socket(name), { force: true });
    const flags = ['--api-hosts', `unix://${this.#socket(name)}`, '--pprof-disable', '--log-level', 'error'];
    const [program, args] = space.command('gobgpd', '-f', file, ...flags);
    const child = spawn(program, args, { stdio: 'ignore' });
    this.#children.set(name, child);
    while (!(await this.#gobgp(name, 'global').catch(() => '')).includes(`${self.asn}`)) {
      if (child.exitCode !== null) throw new Error(`gobgpd ended with ${child.exitCode}`);
    }
  }

  async #stop(name: string): Promise<void> {
    const child = this.#children.get(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

/** The bytes per second that a rule lets pass. */
function rateOf(attrs: Path['attrs']): number {
  const communities = (attrs.find(({ type }) => type === 16)?.value ?? []) as { rate?: number }[];
  return communities[0]?.rate ?? 0;
}

function configuration(self: typeof SPEAKER, other: typeof SPEAKER): string {
  const families = AFI_SAFIS.map(
    (name) => `[[neighbors.afi-safis]]\n[neighbors.afi-safis.config]\nafi-safi-name = "${name}"\n`,
  );
  return `[global.config]
as = ${self.asn}
router-id = "${self.address}"
[[neighbors]]
[neighbors.config]
neighbor-address = "${other.address}"
peer-as = ${other.asn}
[neighbors.timers.config]
connect-retry = 1
hold-time = 9
keepalive-interval = 3
${families.join('')}`;
}
