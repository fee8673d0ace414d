import type { EngineFinding, EngineWants } from '../driver.ts';
import { EVERYONE } from './hosts.ts';
import { findProperties } from './images.ts';
import { IMAGE_KEYS, isGuest, isOn } from './instance.ts';
import type { Instances } from './instances.ts';
import type { MemberInfo, Members } from './members.ts';
import { missingExtensions } from './probe.ts';
import type { Surroundings } from './specification.ts';

/** Default of Incus. With less, a member that is merely slow would count as lost. */
const LEAST_OFFLINE_SECONDS = 20;
const PROPERTIES = {
  [IMAGE_KEYS.minDiskGb]: /^[1-9]\d*$/,
  [IMAGE_KEYS.readiness]: /^(port:[1-9]\d{0,4}|none)$/,
  [IMAGE_KEYS.readyWithinSeconds]: /^[1-9]\d*$/,
  [IMAGE_KEYS.screen]: /^(text|graphics)$/,
};

export interface CheckParts extends Surroundings {
  members: Pick<Members, 'any' | 'at' | 'all' | 'isUp'>;
  instances: Pick<Instances, 'list'>;
  /** Returns the alias of the image from which guests of a template are created. */
  aliasOf(template: string): string;
}

type Verdict = Omit<EngineFinding, 'what'>;
const ok = (found: string): Verdict => ({ state: 'ok', found });
const limited = (found: string): Verdict => ({ state: 'limited', found });
const missing = (found: string): Verdict => ({ state: 'missing', found });

/**
 * Checks item by item whether the cluster offers what guests need. An item that cannot be checked counts as missing,
 * with the reason.
 */
export async function checkCluster(parts: CheckParts, wants: EngineWants): Promise<EngineFinding[]> {
  const finding = async (what: string, look: () => Promise<Verdict>): Promise<EngineFinding> => {
    return { what, ...(await look().catch((error: Error) => missing(error.message))) };
  };
  const all = await parts.members.all().catch(() => [] as MemberInfo[]);
  const each = (what: string, look: (member: MemberInfo) => Promise<Verdict>) =>
    all.map((member) => finding(`${what} ${member.server_name}`, () => look(member)));
  return Promise.all([
    finding('certificate', () => certificate(parts)),
    finding('API', () => api(parts)),
    finding('quorum', () => quorum(parts)),
    finding('offline_threshold', () => offlineThreshold(parts)),
    ...each('member', (found) => member(parts, found)),
    ...each('firewall of', (found) => firewall(parts, found)),
    finding(`network ${parts.network}`, () => network(parts, wants)),
    finding('BGP', () => bgp(parts, all)),
    finding(`pool ${parts.pool}`, () => pool(parts)),
    ...wants.templates.map((template) => finding(`image of ${template}`, () => image(parts, template))),
    ...wants.zones.map((zone) => finding(`zone ${zone}`, async () => membersOf(zone, all))),
    ...each('zones of', async (found) => zonesOf(found, wants)),
  ]);
}

async function certificate({ members }: CheckParts): Promise<Verdict> {
  const { auth } = (await members.any('GET', '/1.0')).metadata;
  if (auth === 'trusted') return ok('the cluster trusts this service');
  return missing('the cluster does not trust this service: incus config trust add-certificate vauban.crt');
}

async function api({ members }: CheckParts): Promise<Verdict> {
  const { api_extensions: has, environment } = (await members.any('GET', '/1.0')).metadata;
  const lacks = missingExtensions(has ?? []);
  if (lacks.length > 0) return missing(`lacks ${lacks.join(', ')}, which Incus 6.0 has`);
  return ok(`${environment.server ?? 'incus'} ${environment.server_version}`);
}

async function quorum({ members }: CheckParts): Promise<Verdict> {
  const all = await members.all();
  return ok(`the cluster has a quorum and lists ${all.length} members`);
}

async function offlineThreshold({ members }: CheckParts): Promise<Verdict> {
  const { config } = (await members.any('GET', '/1.0')).metadata;
  const seconds = Number(config?.['cluster.offline_threshold'] ?? LEAST_OFFLINE_SECONDS);
  if (seconds >= LEAST_OFFLINE_SECONDS) return ok(`${seconds} seconds`);
  return limited(
    `${seconds} seconds: slow members count as lost; incus config set cluster.offline_threshold=${LEAST_OFFLINE_SECONDS}`,
  );
}

async function member({ members }: CheckParts, found: MemberInfo): Promise<Verdict> {
  if (await members.isUp(found)) return ok(`${found.status}, answers at ${found.url}`);
  return limited(`${found.status}, does not answer this service at ${found.url}: ${found.message}`);
}

/**
 * Checks whether a member can apply the guests' firewall rules. Incus does not report kernel features, so running
 * guests are the only proof.
 */
async function firewall(
  { members, instances }: CheckParts,
  { server_name: name }: MemberInfo,
): Promise<Verdict> {
  const { environment } = (await members.at(name, 'GET', '/1.0')).metadata;
  if (environment.firewall !== 'nftables')
    return missing(`Incus uses ${environment.firewall} there, but the rules of guests need nftables`);
  const all = await instances.list();
  if (all.some((instance) => instance.location === name && isGuest(instance) && isOn(instance)))
    return ok('nftables; guests with rules are running there');
  return limited(
    'nftables; until a guest runs there, it is unknown whether the kernel has nf_conntrack_bridge',
  );
}

async function network(
  { members, network: name, project }: CheckParts,
  wants: EngineWants,
): Promise<Verdict> {
  const path = `/1.0/networks/${name}?project=${project}`;
  const { type, managed, config } = (await members.any('GET', path)).metadata;
  if (type !== 'bridge' || !managed) return missing('is not a bridge managed by Incus');
  const has = ([4, 6] as const).flatMap((family) => {
    const [address] = (config[`ipv${family}.address`] ?? 'none').split('/');
    return address === 'none' ? [] : [address];
  });
  const served = wants.gateways.filter(({ addresses }) => addresses.some((address) => has.includes(address)));
  const shown = has.join(', ') || 'no address';
  if (served.length === 0)
    return missing(
      `has ${shown}, but not the gateway of any region: ${wants.gateways.map(({ addresses }) => addresses[0]).join(', ')}`,
    );
  // Incus refuses to assign a guest an address that its network cannot hand out.
  if (config['ipv6.address']?.includes(':') && config['ipv6.dhcp.stateful'] !== 'true')
    return missing('guests do not get their IPv6 addresses: set ipv6.dhcp.stateful=true');
  const translated = ([4, 6] as const).filter((family) => config[`ipv${family}.nat`] === 'true');
  if (translated.length > 0)
    return limited(`guests do not use their own addresses outside: set ipv${translated[0]}.nat=false`);
  const lacks = wants.gateways.flatMap(({ region, addresses }) =>
    addresses.filter((address) => !has.includes(address)).map((address) => `${address} of ${region}`),
  );
  if (lacks.length > 0) return limited(`has ${shown}, but not ${lacks.join(', ')}`);
  return ok(`a bridge with ${shown}`);
}

async function bgp({ members, network: name, project }: CheckParts, all: MemberInfo[]): Promise<Verdict> {
  const { config } = (await members.any('GET', '/1.0')).metadata;
  if (!config?.['core.bgp_asn'])
    return limited('core.bgp_asn is not set: your routers do not learn where guests are');
  const addressed = await Promise.all(
    all.map(async ({ server_name: member }) => {
      const own = (await members.at(member, 'GET', `/1.0?target=${member}`)).metadata.config;
      return own?.['core.bgp_address'] ? undefined : member;
    }),
  );
  const silent = addressed.filter((member) => member !== undefined);
  if (silent.length > 0) return limited(`core.bgp_address is not set on ${silent.join(', ')}`);
  const { config: bridge } = (await members.any('GET', `/1.0/networks/${name}?project=${project}`)).metadata;
  const peers = Object.keys(bridge).filter((key) => /^bgp\.peers\..+\.address$/.test(key));
  if (peers.length === 0)
    return limited(`the network has no bgp.peers: your routers do not learn where guests are`);
  return ok(`AS ${config['core.bgp_asn']}, ${peers.length} ${peers.length === 1 ? 'peer' : 'peers'}`);
}

async function pool({ members, pool: name }: CheckParts): Promise<Verdict> {
  const { driver } = (await members.any('GET', `/1.0/storage-pools/${name}`)).metadata;
  if (driver === 'dir')
    return limited('dir cannot limit disks, and a snapshot takes the space of the whole disk');
  return ok(driver);
}

async function image({ members, project, aliasOf }: CheckParts, template: string): Promise<Verdict> {
  const alias = aliasOf(template);
  const found = await findProperties(members, project, alias);
  if (!found) return limited(`there is no image with the alias ${alias}, so no VMs can be created from it`);
  for (const [key, pattern] of Object.entries(PROPERTIES)) {
    const value = found.properties[key];
    if (value !== undefined && !pattern.test(value)) return limited(`${alias}: ${key} cannot be ${value}`);
  }
  return ok(`${alias}, a ${found.type}`);
}

const namedGroups = ({ groups }: MemberInfo) => groups.filter((group) => group !== EVERYONE);

/** Lists the members that can create VMs in a zone. A member without a group does so in every zone. */
function membersOf(zone: string, all: MemberInfo[]): Verdict {
  const has = all.filter((found) => namedGroups(found).length === 0 || found.groups.includes(zone));
  if (has.length === 0)
    return limited(`no member is in the cluster group ${zone}, so no VMs can be created there`);
  return ok(has.map(({ server_name: name }) => name).join(', '));
}

function zonesOf(found: MemberInfo, wants: EngineWants): Verdict {
  const strange = namedGroups(found).filter((group) => !wants.zones.includes(group));
  if (strange.length > 0)
    return limited(`${strange.join(', ')}: not a zone of the catalog in which VMs are created`);
  return ok(namedGroups(found).join(', ') || 'in no cluster group, so in every zone');
}
