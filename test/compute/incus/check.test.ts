import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineFinding } from '../../../server/compute/driver.ts';
import { type CheckParts, checkCluster } from '../../../server/compute/incus/check.ts';
import { IncusError } from '../../../server/compute/incus/client.ts';
import type { Instance } from '../../../server/compute/incus/instance.ts';
import type { MemberInfo } from '../../../server/compute/incus/members.ts';

const WANTS = {
  templates: ['debian-12', 'alpine'],
  zones: ['a', 'b'],
  gateways: [{ region: 'eu', addresses: ['203.0.113.1', '2001:db8:1::1'] }],
};

/** The replies of a faultless cluster, by path. */
const right = () => ({
  server: {
    auth: 'trusted',
    api_extensions: [
      'projects',
      'clustering_groups',
      'network_acl',
      'network_bridge_acl_devices',
      'network_bgp',
      'event_lifecycle',
      'event_location',
      'metrics',
    ],
    environment: { server: 'incus', server_version: '6.0.4', firewall: 'nftables' },
    config: { 'core.bgp_asn': '65001', 'core.bgp_address': '10.0.0.1:179' } as Record<string, string>,
  },
  network: {
    type: 'bridge',
    managed: true,
    config: {
      'ipv4.address': '203.0.113.1/24',
      'ipv6.address': '2001:db8:1::1/64',
      'ipv4.nat': 'false',
      'ipv6.dhcp.stateful': 'true',
      'bgp.peers.hub.address': '10.0.0.254',
    } as Record<string, string>,
  },
  pool: { driver: 'zfs' },
  images: {
    'debian-12': { type: 'container', properties: { 'vauban.readiness': 'port:22' } },
    alpine: { type: 'virtual-machine', properties: {} },
  } as Record<string, { type: string; properties: Record<string, string> }>,
  members: ['m1', 'm2'].map((server_name): MemberInfo => {
    return { server_name, url: `https://${server_name}`, status: 'Online', message: '', groups: ['default'] };
  }),
  up: (_: MemberInfo) => true,
  quorum: true,
  instances: ['m1', 'm2'].map((location) => ({
    location,
    name: 'vm-1',
    status_code: 103,
    config: { 'user.vauban.id': 'vm_1' },
  })) as unknown as Instance[],
});
type Cluster = ReturnType<typeof right>;

function partsOf(cluster: Cluster): CheckParts {
  const { server, network, pool, images } = cluster;
  const answer = (path: string): unknown => {
    const [place] = path.split('?');
    if (place === '/1.0') return server;
    if (!cluster.quorum) throw new Error('no quorum');
    if (place === '/1.0/networks/vb0') return network;
    if (place === '/1.0/projects/default') return {};
    if (place === '/1.0/storage-pools/default') return pool;
    const [, alias] = /^\/1\.0\/images\/aliases\/(.+)$/.exec(place!) ?? [];
    if (alias && images[alias]) return { target: alias };
    const found = images[place!.split('/').at(-1)!];
    if (found) return found;
    throw new IncusError(404, 'not found');
  };
  const ask = async (path: string) => ({ type: 'sync' as const, metadata: answer(path) });
  return {
    project: 'default',
    network: 'vb0',
    pool: 'default',
    aliasOf: (template) => template,
    instances: { list: async () => cluster.instances },
    members: {
      any: async (_, path) => ask(path),
      at: async (_member, _, path) => ask(path),
      isUp: async (member) => cluster.up(member),
      async all() {
        if (!cluster.quorum) throw new Error('no quorum');
        return cluster.members;
      },
    },
  };
}

const wrong = (findings: EngineFinding[]) =>
  findings
    .filter(({ state }) => state !== 'ok')
    .map(({ state, what, found }) => `${state} ${what}: ${found}`);

test('a healthy cluster reports each item as ok', async () => {
  const findings = await checkCluster(partsOf(right()), WANTS);
  assert.deepEqual(wrong(findings), []);
  assert.deepEqual(
    findings.map(({ what, found }) => `${what}: ${found}`),
    [
      'certificate: the cluster trusts this service',
      'API: incus 6.0.4',
      'quorum: the cluster has a quorum and lists 2 members',
      'offline_threshold: 20 seconds',
      'member m1: Online, answers at https://m1',
      'member m2: Online, answers at https://m2',
      'firewall of m1: nftables; guests with rules are running there',
      'firewall of m2: nftables; guests with rules are running there',
      'network vb0: a bridge with 203.0.113.1, 2001:db8:1::1',
      'BGP: AS 65001, 1 peer',
      'pool default: zfs',
      'image of debian-12: debian-12, a container',
      'image of alpine: alpine, a virtual-machine',
      'zone a: m1, m2',
      'zone b: m1, m2',
      'zones of m1: in no cluster group, so in every zone',
      'zones of m2: in no cluster group, so in every zone',
    ],
  );
});

const CASES: Record<string, [(cluster: Cluster) => void, ...RegExp[]]> = {
  'a certificate that is not trusted': [
    ({ server }) => {
      server.auth = 'untrusted';
    },
    /^missing certificate: .*incus config trust add-certificate/,
  ],
  'an API that lacks something': [
    ({ server }) => {
      server.api_extensions = server.api_extensions.slice(1);
    },
    /^missing API: lacks projects, which/,
  ],
  'a threshold that is too short': [
    ({ server }) => {
      server.config['cluster.offline_threshold'] = '11';
    },
    /^limited offline_threshold: 11 seconds: /,
  ],
  'a member that does not answer': [
    (cluster) => {
      cluster.up = ({ server_name }) => server_name !== 'm2';
    },
    /^limited member m2: Online, does not answer this service at https:\/\/m2/,
  ],
  'a firewall that is no nftables': [
    ({ server }) => {
      server.environment.firewall = 'xtables';
    },
    /^missing firewall of m1: Incus uses xtables/,
    /^missing firewall of m2/,
  ],
  'members on which no guest has run': [
    (cluster) => {
      cluster.instances = [];
    },
    /^limited firewall of m1: .*nf_conntrack_bridge/,
    /^limited firewall of m2/,
  ],
  'a network that is no bridge': [
    ({ network }) => {
      network.managed = false;
    },
    /^missing network vb0: is not a bridge/,
  ],
  'a bridge with another gateway': [
    ({ network }) => {
      network.config['ipv4.address'] = '203.0.113.254/24';
      network.config['ipv6.address'] = 'none';
    },
    /^missing network vb0: has 203\.0\.113\.254, but not the gateway of any region: 203\.0\.113\.1/,
  ],
  'a bridge without IPv6': [
    ({ network }) => {
      delete network.config['ipv6.address'];
    },
    /^limited network vb0: has 203\.0\.113\.1, but not 2001:db8:1::1 of eu/,
  ],
  'a bridge that gives no addresses of IPv6': [
    ({ network }) => {
      delete network.config['ipv6.dhcp.stateful'];
    },
    /^missing network vb0: .*ipv6\.dhcp\.stateful=true/,
  ],
  'a bridge that translates': [
    ({ network }) => {
      network.config['ipv4.nat'] = 'true';
    },
    /^limited network vb0: .*ipv4\.nat=false/,
  ],
  'no BGP': [
    ({ server }) => {
      delete server.config['core.bgp_asn'];
    },
    /^limited BGP: core\.bgp_asn is not set/,
  ],
  'members that speak no BGP': [
    ({ server }) => {
      delete server.config['core.bgp_address'];
    },
    /^limited BGP: core\.bgp_address is not set on m1, m2/,
  ],
  'a network without peers': [
    ({ network }) => {
      delete network.config['bgp.peers.hub.address'];
    },
    /^limited BGP: the network has no bgp\.peers/,
  ],
  'a pool of directories': [
    ({ pool }) => {
      pool.driver = 'dir';
    },
    /^limited pool default: dir cannot limit disks/,
  ],
  'an image that is not there': [
    ({ images }) => {
      delete images.alpine;
    },
    /^limited image of alpine: there is no image with the alias alpine/,
  ],
  'an image that says what cannot be': [
    ({ images }) => {
      images.alpine!.properties['vauban.readiness'] = 'soon';
    },
    /^limited image of alpine: alpine: vauban\.readiness cannot be soon/,
  ],
  'a zone that no member is in, and a group that is no zone': [
    ({ members }) => {
      for (const member of members) member.groups = ['default', 'a'];
      members[1]!.groups.push('rack-7');
    },
    /^limited zone b: no member is in the cluster group b/,
    /^limited zones of m2: rack-7: not a zone of the catalog/,
  ],
};

for (const [name, [change, ...expected]] of Object.entries(CASES)) {
  test(`${name}: only that is reported`, async () => {
    const cluster = right();
    change(cluster);
    const found = wrong(await checkCluster(partsOf(cluster), WANTS));
    assert.equal(found.length, expected.length, found.join('\n'));
    for (const [index, pattern] of expected.entries()) assert.match(found[index]!, pattern);
  });
}

test('without a quorum the check says so, and no item that could not be checked is ok', async () => {
  const cluster = right();
  cluster.quorum = false;
  const findings = await checkCluster(partsOf(cluster), WANTS);
  const states = new Map(findings.map(({ what, state }) => [what, state]));
  assert.equal(states.get('certificate'), 'ok');
  for (const what of ['quorum', 'network vb0', 'BGP', 'pool default', 'image of alpine'])
    assert.equal(states.get(what), 'missing', what);
  assert.equal(states.get('zone a'), 'limited');
});
