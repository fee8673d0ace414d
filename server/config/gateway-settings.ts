import * as kind from './setting-kinds.ts';
import type { Setting } from './settings.ts';

const GATEWAY_CHOICES = ['off', 'nftables', 'elsewhere'] as const;

export const GATEWAY_SETTINGS = {
  gateway: {
    env: 'VAUBAN_GATEWAY',
    kind: kind.oneOf(GATEWAY_CHOICES),
    default: 'off',
    about:
      'What forwards public ports to guests that move between hosts. With `nftables` this host does, with `elsewhere` other nodes of ' +
      'this service do, and with `off` the engine, if it can. The same on all nodes, but for which of them are gateways. See ' +
      'docs/gateway.md.',
  },
  gatewayHelper: {
    env: 'VAUBAN_GATEWAY_HELPER',
    kind: kind.path,
    about: 'Socket of the gateway helper, which makes the rules of nftables.',
  },
} as const satisfies Record<string, Setting>;
