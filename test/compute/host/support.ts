import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { NetworkPolicy } from '../../../server/compute/driver.ts';
import type { NetworkGuest } from '../../../server/compute/qemu/network/network.ts';
import type { QemuSpec } from '../../../server/compute/qemu/process/arguments.ts';
import { netdevOf } from '../../../server/compute/qemu/routed/names.ts';
import type { HostParts } from '../../../server/helpers/host/operations.ts';
import { defer } from '../../support/cleanup.ts';
import { GUEST_UIDS } from '../../support/guest-uids.ts';

export const ID = 'vm_06f3k0000000000000000000a1';

export function guest(): NetworkGuest {
  return {
    id: ID,
    mac: '52:54:00:12:34:56',
    addresses: [
      { address: '203.0.113.10', family: 4, prefix: 24, gateway: '203.0.113.1' },
      { address: '2001:db8:1::a', family: 6, prefix: 48, gateway: '2001:db8:1::1' },
    ],
    directory: `/var/lib/vauban/guests/${ID}`,
  };
}

export function policy(): NetworkPolicy {
  return {
    defaultIn: 'drop',
    defaultOut: 'accept',
    firewall: [{ direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: ['0.0.0.0/0'] }],
    portForwards: [
      {
        protocol: 'tcp',
        publicIp: '192.0.2.10',
        externalPort: 20022,
        internalIp: '203.0.113.10',
        internalPort: 22,
      },
    ],
  };
}

export function spec(directory = `/var/lib/vauban/guests/${ID}`): QemuSpec {
  return {
    id: ID,
    uuid: '0d5f1a52-3c8e-4b11-9d1e-0123456789ab',
    uid: GUEST_UIDS.from,
    directory,
    accelerator: 'tcg',
    hardware: { machine: 'pc-q35-7.2', cpu: 'Westmere-v1', tablet: true },
    vcpu: 1,
    ramMb: 128,
    mac: '52:54:00:12:34:56',
    netdev: netdevOf(ID),
    directBoot: {
      kernel: '/var/lib/vauban/images/k',
      initrd: '/var/lib/vauban/images/i',
      append: 'console=ttyS0',
    },
  };
}

export const READING = { inBytes: 1, inPackets: 2, outBytes: 3, outPackets: 4, connected: true };

/** Privileged parts that only record their calls. */
export function recorder(): { parts: HostParts; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const note =
    (name: string, result?: unknown) =>
    async (...given: unknown[]) => {
      calls.push([name, ...given]);
      return result;
    };
  const parts = {
    users: { ...GUEST_UIDS, group: 1 },
    netdevOf,
    network: {
      mode: 'routed',
      probe: note('probe', { ok: true, summary: 'recorded' }),
      attach: note('attach', 'tap,id=net0'),
      apply: note('apply'),
      reassert: note('reassert', [ID]),
      altered: async () => {
        calls.push(['altered']);
        return true;
      },
      detach: note('detach'),
      counters: note('counters', new Map([[ID, READING]])),
      connect: note('connect'),
      close: note('close'),
    },
    launcher: { launch: note('launch', 4711), kill: note('kill'), image: note('image', '{}') },
  } as unknown as HostParts;
  return { parts, calls };
}

export async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-host-'));
  defer(t, () => rm(directory, { recursive: true, force: true }));
  return directory;
}
