import type { Config } from '../config/config.ts';
import { ConfigError, UnavailableError } from '../platform/config-error.ts';
import { PublicPortRanges } from '../platform/helper/forwards.ts';
import { createAbsentGateway } from './absent.ts';
import type { GatewayDriver } from './driver.ts';

export interface GatewayParts {
  /** Where the catalog forwards ports from. */
  regions: readonly {
    code: string;
    port_forward_address: string;
    port_forward_range: { from: number; to: number };
  }[];
  /** Whether the engine makes forwards itself. */
  engineForwards: boolean;
  countForwards(): Promise<number>;
}

/**
 * The gateway that the configuration names, which must work: {@link ConfigError}, or {@link UnavailableError} for what may
 * come back, says why it does not. {@link ConfigError} also where there is to be none, although customers have forwards that
 * nothing else makes.
 */
export async function selectGateway(
  { gateway, gatewayHelper }: Pick<Config, 'gateway' | 'gatewayHelper'>,
  parts: GatewayParts,
): Promise<GatewayDriver> {
  if (gateway === 'nftables') return nftables(gatewayHelper, parts);
  const count = gateway === 'elsewhere' || parts.engineForwards ? 0 : await parts.countForwards();
  if (count === 0) return createAbsentGateway(gateway);
  throw new ConfigError([
    `VAUBAN_GATEWAY: ${count} ${count === 1 ? 'port is' : 'ports are'} forwarded, which this engine does not: name the gateway, or ` +
      'elsewhere where other nodes are it',
  ]);
}

/** nftables of this host, by its helper; {@link UnavailableError}: a helper that is away may come back. */
async function nftables(helper: string | undefined, { regions }: GatewayParts): Promise<GatewayDriver> {
  if (helper === undefined) throw new ConfigError(['VAUBAN_GATEWAY_HELPER: nftables needs it']);
  const { GatewayClient } = await import('./nftables/helper/client.ts');
  const client = new GatewayClient(helper);
  try {
    await client.reachable().catch((error: Error) => {
      throw new UnavailableError(`VAUBAN_GATEWAY_HELPER: ${error.message}; start vauban-gateway.service`);
    });
    const { ok, summary } = await client.probe();
    if (!ok) throw new ConfigError([`VAUBAN_GATEWAY: nftables does not work here: ${summary}`]);
    requireRegions(client, regions);
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Throws {@link ConfigError} where what customers may order is not what the host's own configuration allows. */
function requireRegions(gateway: GatewayDriver, regions: GatewayParts['regions']): void {
  const ranges = new PublicPortRanges(gateway.capabilities().publicPorts);
  const served = regions.filter(({ port_forward_address: address }) => ranges.hasAddress(address));
  if (served.length === 0)
    throw new ConfigError([
      'VAUBAN_GATEWAY: gateway.yaml allows no port_forward_address of the catalog, so this gateway would forward nothing',
    ]);
  const faults = served
    .filter(({ port_forward_address: address, port_forward_range: { from, to } }) => {
      return !ranges.hasPorts(address, from, to);
    })
    .map(
      ({ code }) => `VAUBAN_GATEWAY: gateway.yaml does not allow all of the port_forward_range of ${code}`,
    );
  if (faults.length > 0) throw new ConfigError(faults);
}
