import * as kind from './setting-kinds.ts';
import type { Setting } from './settings.ts';

const GATEWAY_CHOICES = ['off', 'nftables', 'elsewhere'] as const;

export const GATEWAY_SETTINGS = {
  gateway: {
    env: 'VAUBAN_GATEWAY',
    kind: kind.oneOf(GATEWAY_CHOICES),
    default: 'off',
    about:
      'The gateway that forwards public ports to guests that move between hosts: `nftables` is this host, `elsewhere` is other nodes of ' +
      'this service, and `off` is the engine, if it can. The same on all nodes, except that only gateways have `nftables`. See ' +
      'docs/gateway.md.',
  },
  gatewayHelper: {
    env: 'VAUBAN_GATEWAY_HELPER',
    kind: kind.path,
    about: 'Socket of the gateway helper, which manages the nftables rules.',
  },
} as const satisfies Record<string, Setting>;
