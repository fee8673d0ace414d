import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { incusIdentity } from './identity.ts';
import {
  addressOf,
  type ClusterInfo,
  environmentOf,
  incus,
  LOOK_MS,
  MEMBERS,
  run,
  spaceOf,
  spaces,
} from './layout.ts';
import { startMember } from './members.ts';
import { instancesIn, kill, mountsBelow, processesOf, removeControlGroups } from './remains.ts';

const HERE = import.meta.dirname;
/** On a disk, and where programs may be run: guests' file systems are in it. */
const SCRATCH = '/var/tmp/vauban-incus-';
const HUB = '10.99.0.254';
const AS = { hub: 65_000, members: 65_001 };
/** A member that has not been heard for so many seconds is offline: Incus's least. */
const OFFLINE_SECONDS = 11;

/** Of the bridge that guests are connected to, on each member. */
export const GATEWAY = '203.0.113.1';
export const GATEWAY_6 = '2001:db8:113::1';
export const NETWORK = 'vb0';
export const POOL = 'default';

/** A real cluster of three members on this machine, each in a network namespace of its own, behind a router. */
export class IncusCluster {
  readonly info: ClusterInfo;
  readonly #children: ChildProcess[] = [];

  private constructor(info: ClusterInfo) {
    this.info = info;
  }

  static async raise(): Promise<IncusCluster> {
    const directory = await mkdtemp(SCRATCH);
    // Guests' root is another user, whose files are in it.
    await chmod(directory, 0o711);
    const hub = `vi${process.pid}-hub`;
    const endpoints = MEMBERS.map((member) => `https://${addressOf(member)}:8443`);
    const cluster = new IncusCluster({ directory, hub, endpoints });
    try {
      await cluster.#wire();
      await run(join(HERE, 'image.sh'), join(directory, 'image'));
      await Promise.all(MEMBERS.map((member) => startMember(cluster.info, member)));
      await cluster.#form();
      await cluster.#connect();
      await cluster.#fill();
      return cluster;
    } catch (error) {
      await cluster.down();
      throw error;
    }
  }

  /** Ends all that was begun, and leaves nothing. */
  async down(): Promise<void> {
    const { info } = this;
    for (const child of this.#children) child.kill('SIGKILL');
    // Twice: what was just being started when its parent ended.
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

  /** The members' network, and the router's end of it. */
  async #wire(): Promise<void> {
    const { info } = this;
    for (const space of spaces(info)) {
      await run('ip', 'netns', 'add', space);
      await run('ip', '-n', space, 'link', 'set', 'lo', 'up');
    }
    const ip = (space: string, ...lines: string[]) =>
      lines.reduce(
        (before, line) => before.then(() => run('ip', '-n', space, ...line.split(' '))),
        Promise.resolve(''),
      );
    await ip(info.hub, 'link add mgmt type bridge', 'link set mgmt up', `addr add ${HUB}/24 dev mgmt`);
    for (const member of MEMBERS) {
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

  async #form(): Promise<void> {
    const { info } = this;
    await this.#preseed(
      1,
      `config: {core.https_address: "${addressOf(1)}:8443"}
cluster: {server_name: m1, enabled: true}
storage_pools: [{name: ${POOL}, driver: dir}]
networks: []
profiles: [{name: default, devices: {}}]
`,
    );
    for (const member of MEMBERS.slice(1)) {
      const said = await incus(info, 'cluster', 'add', `m${member}`, '-q');
      const token = said.trim().split('\n').at(-1);
      await this.#preseed(
        member,
        `cluster: {enabled: true, server_address: "${addressOf(member)}:8443", cluster_token: ${token}, member_config: []}\n`,
      );
    }
  }

  /** A bridge a member with the same gateway, and the router that learns from the members where guests are. */
  async #connect(): Promise<void> {
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
    await incus(info, 'config', 'set', `cluster.offline_threshold=${OFFLINE_SECONDS}`);
    await incus(info, 'config', 'set', `core.bgp_asn=${AS.members}`);
    for (const member of MEMBERS) {
      const address = addressOf(member);
      const speaker = [`core.bgp_address=${address}:179`, `core.bgp_routerid=${address}`];
      await incus(info, 'config', 'set', '--target', `m${member}`, ...speaker);
      await incus(info, 'network', 'create', NETWORK, '--target', `m${member}`);
    }
    const bridge = [
      `ipv4.address=${GATEWAY}/24`,
      'ipv4.nat=false',
      `ipv6.address=${GATEWAY_6}/64`,
      'ipv6.nat=false',
      // Guests have addresses that are chosen for them.
      'ipv6.dhcp.stateful=true',
    ];
    const peer = [`bgp.peers.hub.address=${HUB}`, `bgp.peers.hub.asn=${AS.hub}`];
    await incus(info, 'network', 'create', NETWORK, ...bridge, ...peer);
  }

  async #fill(): Promise<void> {
    const { info } = this;
    for (const alias of ['tiny', 'tiny-unready']) {
      await incus(
        info,
        'image',
        'import',
        join(info.directory, 'image', `${alias}.tar.gz`),
        '--alias',
        alias,
        '-q',
      );
    }
    await incusIdentity(info.directory);
    await incus(
      info,
      'config',
      'trust',
      'add-certificate',
      join(info.directory, 'client.crt'),
      '--name',
      'vauban',
    );
  }

  /** As with the CLI in the member's own namespace, which joining needs. */
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

/** A member's routes stay while its daemon restarts: guests run on meanwhile. */
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
