import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshCertificate } from './identity.ts';
import { IMAGE_FILES, packImage } from './images.ts';
import {
  addressOf,
  type ClusterInfo,
  environmentOf,
  LOOK_MS,
  MEMBERS,
  poolOf,
  run,
  runAt,
  spaceOf,
  spaces,
} from './layout.ts';
import { startMember } from './members.ts';
import { instancesIn, kill, mountsBelow, processesOf, removeControlGroups } from './remains.ts';

const HERE = import.meta.dirname;
/** On a disk, and on a file system that allows executing programs, because it contains the guests' file systems. */
const SCRATCH = '/var/tmp/vauban-incus-';
const HUB = '10.99.0.254';
const AS = { hub: 65_000, members: 65_001 };
/** A member that has been silent for this long counts as offline, in seconds; the minimum of Incus. */
const OFFLINE_SECONDS = 11;

/** The addresses of the bridge that guests are connected to, on each member. */
export const GATEWAY = '203.0.113.1';
export const GATEWAY_6 = '2001:db8:113::1';
export const NETWORK = 'vb0';
export const POOL = 'default';

/** The images of each cluster, with the properties that differ from the common ones. */
const IMAGES: Record<string, Record<string, string>> = {
  tiny: {},
  // For guests that never become ready: nothing listens on that port.
  'tiny-unready': { 'vauban.readiness': 'port:2222', 'vauban.ready_within_seconds': '2' },
};

/** The plan of a cluster. Its members, given by their numbers on this machine, are called m1, m2… in the cluster. */
export interface ClusterPlan {
  members: readonly number[];
  /** The addresses of its bridges: IPv4 and IPv6. */
  gateways: readonly [string, string];
}

export const OF_THREE: readonly ClusterPlan[] = [{ members: MEMBERS, gateways: [GATEWAY, GATEWAY_6] }];
/** Two independent clusters of one member each. */
export const TWO_OF_ONE: readonly ClusterPlan[] = [
  { members: [1], gateways: [GATEWAY, GATEWAY_6] },
  { members: [2], gateways: ['198.51.100.1', '2001:db8:100::1'] },
];

export interface ClusterOptions {
  /**
   * The size of each member's storage pool in megabytes. The pool is then a file system in memory, which only takes the
   * used part. By default the pools are directories on this machine's disk.
   */
  poolMb?: number;
  /** True if guests can be virtual machines; this needs no KVM. */
  vms?: boolean;
}

/** One or more real clusters on this machine, each member in its own network namespace, behind one router. */
export class IncusCluster {
  /** The first cluster. */
  readonly info: ClusterInfo;
  readonly #plans: readonly ClusterPlan[];
  readonly #children: ChildProcess[] = [];

  private constructor(info: ClusterInfo, plans: readonly ClusterPlan[]) {
    this.info = info;
    this.#plans = plans;
  }

  static async raise(plans = OF_THREE, options: ClusterOptions = {}): Promise<IncusCluster> {
    const directory = await mkdtemp(SCRATCH);
    // Root in a guest is another user on the host, whose files are below this directory.
    await chmod(directory, 0o711);
    const hub = `vi${process.pid}-hub`;
    const endpoints = plans[0]!.members.map((member) => `https://${addressOf(member)}:8443`);
    const cluster = new IncusCluster({ directory, hub, endpoints, vms: options.vms ?? false }, plans);
    const members = cluster.#members;
    try {
      await cluster.#wire();
      if (options.poolMb) await cluster.#mountPools(options.poolMb);
      await run(join(HERE, 'image.sh'), join(directory, IMAGE_FILES));
      for (const [alias, properties] of Object.entries(IMAGES))
        await packImage(cluster.info, alias, properties);
      await Promise.all(members.map((member) => startMember(cluster.info, member)));
      await cluster.#route();
      await freshCertificate(directory);
      await Promise.all(
        plans.map(async (plan) => {
          await cluster.#form(plan, options);
          await cluster.#connect(plan);
          await cluster.#fill(plan);
        }),
      );
      return cluster;
    } catch (error) {
      await cluster.down();
      throw error;
    }
  }

  /** Ends everything that was started and removes all traces. */
  async down(): Promise<void> {
    const { info } = this;
    for (const child of this.#children) child.kill('SIGKILL');
    // Twice, to catch processes that were just starting when their parent ended.
    for (let round = 0; round < 2; round++) {
      for (const pid of await processesOf(info)) kill(pid);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    const names = instancesIn(info.directory);
    for (const space of spaces(info)) await run('ip', 'netns', 'del', space).catch(() => {});
    for (const mount of mountsBelow(info.directory)) await run('umount', '-l', mount).catch(() => {});
    await removeControlGroups(names);
    await rm(info.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: LOOK_MS });
  }

  /** Creates the members' network and the router's end of it. */
  async #wire(): Promise<void> {
    const { info } = this;
    for (const space of [info.hub, ...this.#members.map((member) => spaceOf(info, member))]) {
      await run('ip', 'netns', 'add', space);
      await run('ip', '-n', space, 'link', 'set', 'lo', 'up');
    }
    const ip = (space: string, ...lines: string[]) =>
      lines.reduce(
        (before, line) => before.then(() => run('ip', '-n', space, ...line.split(' '))),
        Promise.resolve(''),
      );
    await ip(info.hub, 'link add mgmt type bridge', 'link set mgmt up', `addr add ${HUB}/24 dev mgmt`);
    for (const member of this.#members) {
      const space = spaceOf(info, member);
      await ip(space, `link add up0 type veth peer name m${member} netns ${info.hub}`);
      await ip(info.hub, `link set m${member} master mgmt`, `link set m${member} up`);
      await ip(
        space,
        `addr add ${addressOf(member)}/24 dev up0`,
        'link set up0 up',
        `route add default via ${HUB}`,
      );
    }
  }

  get #members(): number[] {
    return this.#plans.flatMap(({ members }) => members);
  }

  async #mountPools(megabytes: number): Promise<void> {
    for (const member of this.#members) {
      const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`];
      await run('mount', '--mkdir', ...options, 'tmpfs', poolOf(this.info, member));
    }
  }

  async #form({ members: [first, ...others] }: ClusterPlan, { poolMb }: ClusterOptions): Promise<void> {
    const { info } = this;
    const source = (member: number) => (poolMb ? poolOf(info, member) : '');
    await this.#preseed(
      first!,
      `config: {core.https_address: "${addressOf(first!)}:8443"}
cluster: {server_name: m1, enabled: true}
storage_pools: [{name: ${POOL}, driver: dir, config: {source: "${source(first!)}"}}]
networks: []
profiles: [{name: default, devices: {}}]
`,
    );
    for (const [index, member] of others.entries()) {
      const said = await runAt(info, first!, 'incus', 'cluster', 'add', `m${index + 2}`, '-q');
      const token = said.trim().split('\n').at(-1);
      const pool = `{entity: storage-pool, name: ${POOL}, key: source, value: "${source(member)}"}`;
      await this.#preseed(
        member,
        `cluster: {enabled: true, server_address: "${addressOf(member)}:8443", cluster_token: ${token}, member_config: [${pool}]}\n`,
      );
    }
  }

  /** Starts the router, which learns from the members where guests are. */
  async #route(): Promise<void> {
    const { info } = this;
    const file = join(info.directory, 'gobgp.toml');
    await writeFile(file, ROUTER);
    this.#spawn(
      'gobgpd',
      '-f',
      file,
      '--api-hosts',
      '127.0.0.1:50051',
      '--pprof-disable',
      '--log-level',
      'error',
    );
    this.#spawn(process.execPath, join(HERE, 'routes.ts'));
  }

  /** Creates a bridge on each member with the same gateway; the members announce their guests to the router. */
  async #connect({ members, gateways: [gateway, gateway6] }: ClusterPlan): Promise<void> {
    const incus = (...words: string[]) => runAt(this.info, members[0]!, 'incus', ...words);
    await incus('config', 'set', `cluster.offline_threshold=${OFFLINE_SECONDS}`);
    await incus('config', 'set', `core.bgp_asn=${AS.members}`);
    for (const [index, member] of members.entries()) {
      const address = addressOf(member);
      const target = ['--target', `m${index + 1}`];
      const speaker = [`core.bgp_address=${address}:179`, `core.bgp_routerid=${address}`];
      await incus('config', 'set', ...target, ...speaker);
      await incus('network', 'create', NETWORK, ...target);
    }
    const bridge = [
      `ipv4.address=${gateway}/24`,
      'ipv4.nat=false',
      `ipv6.address=${gateway6}/64`,
      'ipv6.nat=false',
      // The service chooses the guests' addresses.
      'ipv6.dhcp.stateful=true',
    ];
    const peer = [`bgp.peers.hub.address=${HUB}`, `bgp.peers.hub.asn=${AS.hub}`];
    await incus('network', 'create', NETWORK, ...bridge, ...peer);
  }

  async #fill({ members }: ClusterPlan): Promise<void> {
    const { directory } = this.info;
    const incus = (...words: string[]) => runAt(this.info, members[0]!, 'incus', ...words);
    for (const alias of Object.keys(IMAGES))
      await incus('image', 'import', join(directory, `${alias}.tar.gz`), '--alias', alias, '-q');
    await incus('config', 'trust', 'add-certificate', join(directory, 'client.crt'), '--name', 'vauban');
  }

  /** Runs the CLI in the member's own namespace, which joining needs. */
  async #preseed(member: number, text: string): Promise<void> {
    const { info } = this;
    const args = [`--net=/run/netns/${spaceOf(info, member)}`, 'incus', 'admin', 'init', '--preseed'];
    const child = spawn('nsenter', args, {
      env: { ...process.env, ...environmentOf(info, member) },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (bytes) => {
      said += bytes;
    });
    child.stdin.end(text);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`member ${member} was not set up: ${said}`);
  }

  #spawn(...words: string[]): void {
    const args = [`--net=/run/netns/${this.info.hub}`, ...words];
    this.#children.push(spawn('nsenter', args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  }
}

/** A member's routes stay while its daemon restarts, because its guests keep running. */
const ROUTER = `[global.config]
as = ${AS.hub}
router-id = "${HUB}"
[[peer-groups]]
[peer-groups.config]
peer-group-name = "members"
peer-as = ${AS.members}
[peer-groups.graceful-restart.config]
enabled = true
restart-time = 120
[[peer-groups.afi-safis]]
[peer-groups.afi-safis.config]
afi-safi-name = "ipv4-unicast"
[peer-groups.afi-safis.mp-graceful-restart.config]
enabled = true
[[dynamic-neighbors]]
[dynamic-neighbors.config]
prefix = "10.99.0.0/24"
peer-group = "members"
`;
