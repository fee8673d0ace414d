import type { Config } from '../config/config.ts';
import { ConfigError, UnavailableError } from '../platform/config-error.ts';
import { PublicPortRanges } from '../platform/public-ports.ts';
import { createAbsentGateway } from './absent.ts';
import type { GatewayDriver } from './driver.ts';

export interface GatewayParts {
  /** The regions' public addresses and port ranges in the catalog. */
  regions: readonly {
    code: string;
    port_forward_address: string;
    port_forward_range: { from: number; to: number };
  }[];
  /** True if the engine makes forwards itself. */
  engineForwards: boolean;
  countForwards(): Promise<number>;
}

/**
 * Returns the gateway that the configuration names, after checking that it works. Throws {@link ConfigError} if it
 * does not, or {@link UnavailableError} if it may recover. Also throws {@link ConfigError} if no gateway is
 * configured although customers have forwards that nothing else makes.
 */
export async function selectGateway(
  { gateway, gatewayHelper }: Pick<Config, 'gateway' | 'gatewayHelper'>,
  parts: GatewayParts,
): Promise<GatewayDriver> {
  if (gateway === 'nftables') return nftables(gatewayHelper, parts);
  const count = gateway === 'elsewhere' || parts.engineForwards ? 0 : await parts.countForwards();
  if (count === 0) return createAbsentGateway(gateway);
  throw new ConfigError([
    `VAUBAN_GATEWAY: ${count} ${count === 1 ? 'port is' : 'ports are'} forwarded, which this engine cannot do: set it to nftables, or to ` +
      'elsewhere if other nodes are gateways',
  ]);
}

/**
 * Returns the nftables gateway of this host through its helper. Throws {@link UnavailableError} if the helper is
 * down, because it may come back.
 */
async function nftables(helper: string | undefined, { regions }: GatewayParts): Promise<GatewayDriver> {
  if (helper === undefined)
    throw new ConfigError(['VAUBAN_GATEWAY_HELPER: is required with VAUBAN_GATEWAY=nftables']);
  const { GatewayClient } = await import('./nftables/client.ts');
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

/** Throws {@link ConfigError} if the host's own configuration does not allow everything that customers may order. */
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
