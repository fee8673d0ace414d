import type { DriverReport } from '../driver.ts';
import type { Members } from './members.ts';
import type { Surroundings } from './specification.ts';

/** API extensions needed in addition to the original API. LXD added some of them in releases of its own. */
const EXTENSIONS = [
  'projects',
  'clustering_groups',
  'network_acl',
  'network_bridge_acl_devices',
  'network_bgp',
  'event_lifecycle',
  'event_location',
  'metrics',
];

export const missingExtensions = (has: readonly string[]) =>
  EXTENSIONS.filter((extension) => !has.includes(extension));

/** Reports whether guests can be created here, and if not, why. */
export async function probeCluster(
  members: Members,
  { project, network, pool }: Surroundings,
): Promise<DriverReport> {
  const fail = (problem: string) => ({ ok: false, summary: `incus: ${problem}` });
  try {
    const { api_extensions: has, auth, environment } = (await members.any('GET', '/1.0')).metadata;
    if (auth !== 'trusted')
      return fail('the cluster does not trust the certificate: incus config trust add-certificate');
    const { server = 'incus', server_version: version, server_clustered: isCluster } = environment;
    const missing = missingExtensions(has);
    if (missing.length > 0)
      return fail(`${server} ${version} lacks ${missing.join(', ')}, which Incus 6.0 has`);
    if (!isCluster)
      return fail('the server is not a cluster: incus cluster enable NAME makes it a cluster of one member');
    await members.any('GET', `/1.0/projects/${project}`);
    const { metadata: bridge } = await members.any('GET', `/1.0/networks/${network}?project=${project}`);
    if (bridge.type !== 'bridge' || !bridge.managed)
      return fail(`the network ${network} is not a bridge managed by Incus`);
    await members.any('GET', `/1.0/storage-pools/${pool}`);
    const all = await members.all();
    const up = all.filter(({ status }) => status === 'Online').length;
    return { ok: true, summary: `incus: ${server} ${version}, ${up} of ${all.length} members online` };
  } catch (error) {
    return fail((error as Error).message);
  }
}
