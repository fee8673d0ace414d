import { randomInt } from 'node:crypto';
import type { ComputeDriver, GuestSpec } from '../../../server/compute/driver.ts';
import { createIncus } from '../../../server/compute/incus/incus.ts';
import type { IncusOptions } from '../../../server/compute/incus/options.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { GATEWAY, NETWORK, POOL } from '../../support/incus/cluster.ts';
import { incusIdentity } from '../../support/incus/identity.ts';
import type { ClusterInfo } from '../../support/incus/layout.ts';
import { guestSpec } from '../support.ts';

/** The key with which a test's driver logs in to its guests. */
export const OPS_KEY = freshKeyPair('ops');

export async function openIncus(
  info: ClusterInfo,
  options: Partial<IncusOptions> = {},
): Promise<ComputeDriver> {
  return createIncus({
    clock: systemClock,
    logger: { warn: () => {} },
    endpoints: info.endpoints,
    identity: await incusIdentity(info.directory),
    project: 'default',
    network: NETWORK,
    pool: POOL,
    cpuOvercommit: 100,
    zones: null,
    serviceNetworks: ['10.99.0.254/32'],
    aliasOf: (template) => template,
    opsLogin: async () => [OPS_KEY.private],
    ...options,
  });
}

let made = 0;

/** A small guest with addresses that no other guest of this file has. */
export function tinyGuest(overrides: Partial<GuestSpec> = {}): GuestSpec {
  const host = 10 + (made++ % 240);
  const tail = Array.from({ length: 3 }, () => randomInt(256).toString(16).padStart(2, '0'));
  return guestSpec('web', {
    template: 'tiny',
    vcpu: 1,
    ramMb: 64,
    diskGb: 1,
    mac: `52:54:00:${tail.join(':')}`,
    addresses: [{ address: `203.0.113.${host}`, family: 4, prefix: 24, gateway: GATEWAY }],
    authorizedKeys: [OPS_KEY.public],
    ...overrides,
  });
}
