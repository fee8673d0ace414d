import type { GatewayDriver } from './driver.ts';

/** For a node that is no gateway: there is none, or others of its service are. */
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
