import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { NewCluster } from '../../../compute/driver.ts';
import { findRegion } from '../../../domain/catalog/lookup.ts';
import { Input, Nullable } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { parseCidr } from '../../../platform/cidr.ts';
import { invalidField } from '../../../platform/errors.ts';
import { type Static, Type } from '../../../platform/schema.ts';
import { Code } from '../shared/input.ts';

/** More members need not be listed: each of them knows all the others. */
const MAX_ENDPOINTS = 16;
const MAX_NETWORKS = 32;
/** A certificate chain has a few thousand characters. */
const MAX_CERTIFICATE = 32_768;
/** The same limit as in the settings. */
const MAX_OVERCOMMIT = 128;

/** A name in Incus, which is used in paths of its API. */
const Named = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 63,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    'x-expected': 'letters, digits, dots, hyphens and underscores',
    description,
    examples: [example],
  });

const Endpoints = Type.Array(
  Type.String({ minLength: 1, maxLength: 300, examples: ['https://10.1.0.1:8443'] }),
  {
    minItems: 1,
    maxItems: MAX_ENDPOINTS,
    description: 'Addresses of several members, so that one of them can be down',
  },
);
const Certificate = (absent: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_CERTIFICATE,
    description: `The cluster's own certificate (\`cluster.crt\`) in PEM, the only one that is then trusted. ${absent}: the system's trusted certificates`,
  });
const ServiceNetworks = Type.Array(Type.String({ minLength: 1, maxLength: 64, examples: ['10.1.0.250'] }), {
  minItems: 1,
  maxItems: MAX_NETWORKS,
  description: 'Addresses of the nodes of this service as seen by guests',
});
const CpuOvercommit = Type.Integer({
  minimum: 1,
  maximum: MAX_OVERCOMMIT,
  description: 'Virtual CPUs sold for each CPU of a member',
});

export const ClusterInput = Input({
  region: Code('eu-west'),
  endpoints: Endpoints,
  certificate: Type.Optional(Certificate('Absent')),
  network: Type.Optional(Named('Bridge of Incus that guests are connected to', 'vauban0')),
  service_networks: Type.Optional(ServiceNetworks),
  project: Type.Optional(Named('Project that guests are in', 'default')),
  pool: Type.Optional(Named('Storage pool of their disks', 'default')),
  cpu_overcommit: Type.Optional(CpuOvercommit),
});

/** The parameters for creating guests cannot change, because existing guests keep their bridge, pool and project. */
export const ClusterChange = Input(
  {
    endpoints: Type.Optional(Endpoints),
    certificate: Type.Optional(Nullable(Certificate('Null'))),
    service_networks: Type.Optional(ServiceNetworks),
    cpu_overcommit: Type.Optional(CpuOvercommit),
  },
  { minProperties: 1 },
);

/** Returns the requested cluster, completed from the settings. Throws `validation_failed` for an invalid field. */
export function newCluster(
  body: Static<typeof ClusterInput>,
  { catalog, config }: Pick<OperatorServices, 'catalog' | 'config'>,
): NewCluster {
  const { region } = body;
  if (!findRegion(catalog, region))
    throw invalidField('region', 'not_found', `the catalog has no region ${region}`);
  const settings = {
    region,
    certificate: null,
    network: body.network ?? config.incusNetwork!,
    serviceNetworks: config.incusServiceNetworks ?? [],
    project: body.project ?? config.incusProject,
    pool: body.pool ?? config.incusPool,
    cpuOvercommit: config.incusCpuOvercommit,
  };
  return changed(body, { ...settings, endpoints: body.endpoints });
}

/** Returns a cluster with the requested changes. Throws `validation_failed` for an invalid field. */
export function changed<C extends NewCluster>(body: Static<typeof ClusterChange>, cluster: C): C {
  const { endpoints = cluster.endpoints, certificate = cluster.certificate } = body;
  for (const [index, url] of endpoints.entries()) {
    if (URL.canParse(url) && new URL(url).protocol === 'https:') continue;
    throw invalidField(`endpoints.${index}`, 'invalid_format', 'must be an https:// address of a member');
  }
  if (certificate !== null) requireCertificate(certificate);
  const serviceNetworks = body.service_networks ?? cluster.serviceNetworks;
  for (const [index, text] of serviceNetworks.entries()) {
    if (isIP(text) !== 0 || parseCidr(text)?.hasHostBits === false) continue;
    throw invalidField(`service_networks.${index}`, 'invalid_format', 'must be an address or a network');
  }
  return {
    ...cluster,
    endpoints: endpoints.map((url) => new URL(url).origin),
    certificate,
    serviceNetworks,
    cpuOvercommit: body.cpu_overcommit ?? cluster.cpuOvercommit,
  };
}

function requireCertificate(text: string): void {
  try {
    new X509Certificate(text);
  } catch {
    throw invalidField('certificate', 'invalid_format', 'must be a certificate in PEM');
  }
}
