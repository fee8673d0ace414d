import type { GatewayDriver } from './driver.ts';

/**
 * Returns the driver for a node that is not a gateway: either there is no gateway, or other nodes of the service are
 * it.
 */
export function createAbsentGateway(name: 'off' | 'elsewhere'): GatewayDriver {
  const forwards = name === 'off' ? 'nowhere' : 'elsewhere';
  return {
    name,
    probe: async () => ({ ok: true, summary: name }),
    capabilities: () => ({ forwards, publicPorts: [], guestPrefixes: [] }),
    applyForwards: async () => {},
    onAltered() {},
    close: async () => {},
  };
}
