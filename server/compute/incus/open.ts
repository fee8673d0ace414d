import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config-error.ts';
import type { Logger } from '../../platform/logging.ts';
import type { ComputeDriver } from '../driver.ts';
import type { OpsLogin } from '../inside/ops-login.ts';
import { createIncus } from './incus.ts';

export interface IncusParts {
  config: Config;
  clock: Clock;
  logger: Logger;
  opsLogin: OpsLogin;
  /** Of the catalog; `image` where that has another name than the template. */
  templates: readonly { code: string; image?: string }[];
}

/** The Incus driver as the configuration wants it; throws {@link ConfigError} where that cannot be. */
export function openIncus({ config, clock, logger, opsLogin, templates }: IncusParts): ComputeDriver {
  const {
    incusEndpoints: endpoints,
    incusCertificate,
    incusKey,
    incusServerCertificate,
    incusNetwork,
    incusServiceNetworks,
  } = config;
  const missing = [
    endpoints === undefined && 'VAUBAN_INCUS_ENDPOINTS',
    incusCertificate === undefined && 'VAUBAN_INCUS_CERTIFICATE',
    incusKey === undefined && 'VAUBAN_INCUS_KEY',
    incusNetwork === undefined && 'VAUBAN_INCUS_NETWORK',
    incusServiceNetworks === undefined && 'VAUBAN_INCUS_SERVICE_NETWORKS',
  ].filter((name) => name !== false);
  if (missing.length > 0)
    throw new ConfigError(missing.map((name) => `${name}: must be set where VAUBAN_COMPUTE is incus`));
  const plain = endpoints!.find((url) => !URL.canParse(url) || new URL(url).protocol !== 'https:');
  if (plain !== undefined)
    throw new ConfigError([`VAUBAN_INCUS_ENDPOINTS: ${plain} is no https:// address of a member`]);
  const aliases = new Map(templates.map(({ code, image }) => [code, image ?? code]));
  return createIncus({
    clock,
    logger,
    endpoints: endpoints!.map((url) => new URL(url).origin),
    identity: {
      certificate: read('VAUBAN_INCUS_CERTIFICATE', incusCertificate!),
      key: read('VAUBAN_INCUS_KEY', incusKey!),
      ...(incusServerCertificate && {
        serverCertificate: read('VAUBAN_INCUS_SERVER_CERTIFICATE', incusServerCertificate),
      }),
    },
    project: config.incusProject,
    network: incusNetwork!,
    pool: config.incusPool,
    cpuOvercommit: config.incusCpuOvercommit,
    zones: config.zones ?? null,
    serviceNetworks: incusServiceNetworks!.map((text) =>
      text.includes('/') ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`,
    ),
    aliasOf: (template) => aliases.get(template) ?? template,
    opsLogin,
  });
}

function read(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${setting}: ${(error as Error).message}`]);
  }
}
