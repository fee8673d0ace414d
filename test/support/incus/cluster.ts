import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { incusIdentity } from './identity.ts';

const HERE = import.meta.dirname;
/** On a disk, and where programs may be run: guests' file systems are in it. */
const SCRATCH = '/var/tmp/vauban-incus-';
const DAEMON = '/usr/libexec/incus/incusd';
const MEMBERS = [1, 2, 3] as const;
const HUB = '10.99.0.254';
const AS = { hub: 65_000, members: 65_001 };
/** Far beyond what anything here takes. */
const HANG_MS = 120_000;
const LOOK_MS = 50;
/** A member that has not been heard for so many seconds is offline: Incus's least. */
const OFFLINE_SECONDS = 11;

export const GATEWAY = '203.0.113.1';
export const NETWORK = 'vb0';
export const POOL = 'default';

/** What tests need to know of a cluster. */
export interface ClusterInfo {
  directory: string;
  /** Of the network namespace that the members are reached from, and guests. */
  hub: string;
  endpoints: string[];
}

export const addressOf = (member: number) => `10.99.0.${member}`;

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
    const bridge = [`ipv4.address=${GATEWAY}/24`, 'ipv4.nat=false', 'ipv6.address=none'];
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
      env: { ...process.env, INCUS_DIR: directoryOf(info, member, 'incus') },
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

/** Starts a member, also one that was killed. */
export async function startMember(info: ClusterInfo, member: number): Promise<void> {
  const directory = directoryOf(info, member);
  for (const name of ['incus', 'cg', 'bin']) await mkdir(join(directory, name), { recursive: true });
  if (!(await tracksConnectionsInBridges())) {
    const shim = join(directory, 'bin', 'nft');
    await copyFile(join(HERE, 'nft.sh'), shim);
    await chmod(shim, 0o755);
  }
  const script = [join(HERE, 'member.sh'), directory];
  const space = [`--net=/run/netns/${spaceOf(info, member)}`, 'unshare', '-m', '--propagation', 'private'];
  spawn('setsid', ['nsenter', ...space, ...script], { detached: true, stdio: 'ignore' }).unref();
  const socket = directoryOf(info, member, 'incus/unix.socket');
  const end = Date.now() + HANG_MS;
  while (!existsSync(socket)) {
    if (Date.now() > end) throw new Error(`member ${member} did not start: see ${directory}/incusd.log`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  await run(
    'env',
    `INCUS_DIR=${directoryOf(info, member, 'incus')}`,
    DAEMON,
    'waitready',
    '--timeout',
    '100',
  );
}

/** Ends a member's daemon as a failure of power does; its guests run on. */
export async function killMember(info: ClusterInfo, member: number): Promise<void> {
  const pid = Number(readFileSync(directoryOf(info, member, 'pid'), 'utf8'));
  kill(pid);
  while (existsSync(`/proc/${pid}`) && !isZombie(pid))
    await new Promise((resolve) => setTimeout(resolve, 10));
  await rm(directoryOf(info, member, 'incus/unix.socket'), { force: true });
}

/** Runs the CLI at the first member. */
export function incus({ directory }: Pick<ClusterInfo, 'directory'>, ...words: string[]): Promise<string> {
  return run('env', `INCUS_DIR=${directory}/m1/incus`, 'incus', ...words);
}

export async function run(program: string, ...args: string[]): Promise<string> {
  const running = promisify(execFile)(program, args, { maxBuffer: 2 ** 26, timeout: HANG_MS });
  // Incus's CLI reads what it may be given there to its end.
  running.child.stdin!.end();
  return (await running).stdout;
}

export const spaceOf = ({ hub }: ClusterInfo, member: number) => hub.replace('hub', `${member}`);
const spaces = (info: ClusterInfo) => [info.hub, ...MEMBERS.map((member) => spaceOf(info, member))];
const directoryOf = ({ directory }: ClusterInfo, member: number, name = '') =>
  join(directory, `m${member}`, name);

const ROUTER = `[global.config]
as = ${AS.hub}
router-id = "${HUB}"
[[peer-groups]]
[peer-groups.config]
peer-group-name = "members"
peer-as = ${AS.members}
[[peer-groups.afi-safis]]
[peer-groups.afi-safis.config]
afi-safi-name = "ipv4-unicast"
[[dynamic-neighbors]]
[dynamic-neighbors.config]
prefix = "10.99.0.0/24"
peer-group = "members"
`;

let tracks: Promise<boolean> | undefined;

/** Whether this kernel can do what ACLs of Incus ask of nft. */
function tracksConnectionsInBridges(): Promise<boolean> {
  const rules =
    'table bridge probe { chain c { type filter hook forward priority 0; ct state established accept; }; }';
  tracks ??= run('unshare', '-n', '/usr/sbin/nft', rules).then(
    () => true,
    () => false,
  );
  return tracks;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const isZombie = (pid: number) => {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
};

/** Those in its namespaces, those that name its directory, and the guests, which are children of these. */
async function processesOf(info: ClusterInfo): Promise<number[]> {
  const found = new Set<number>();
  for (const space of spaces(info)) {
    const pids = await run('ip', 'netns', 'pids', space).catch(() => '');
    for (const pid of pids.split('\n').filter(Boolean)) found.add(Number(pid));
  }
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || !read(`/proc/${entry}/cmdline`).includes(`${info.directory}/m`)) continue;
    found.add(Number(entry));
    for (const child of read(`/proc/${entry}/task/${entry}/children`).split(' ').filter(Boolean))
      found.add(Number(child));
  }
  found.delete(process.pid);
  return [...found];
}

function instancesIn(directory: string): string[] {
  return MEMBERS.flatMap((member) =>
    ['containers', 'logs'].flatMap((name) => {
      const path = join(directory, `m${member}`, 'incus', name);
      return existsSync(path) ? readdirSync(path) : [];
    }),
  );
}

function mountsBelow(directory: string): string[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return mounts
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${directory}/`))
    .reverse();
}

async function removeControlGroups(names: string[]): Promise<void> {
  const root = '/sys/fs/cgroup';
  const hierarchies = existsSync(root) ? ['', ...readdirSync(root)] : [];
  for (const hierarchy of hierarchies) {
    for (const name of names) {
      for (const kind of ['payload', 'monitor']) {
        const path = join(root, hierarchy, `lxc.${kind}.${name}`);
        if (existsSync(path))
          await run('find', path, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+').catch(() => {});
      }
    }
  }
}
