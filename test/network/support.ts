import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { ALL_SCOPES } from '../../server/access/scopes.ts';
import { addressesOf } from '../../server/db/queries/vms/addresses.ts';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import { createKey } from '../../server/domain/accounts/keys.ts';
import { findRegion } from '../../server/domain/catalog/lookup.ts';
import { allocateAddresses } from '../../server/domain/network/allocate.ts';
import type { JobRunner } from '../../server/jobs/runner.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import {
  type Installation,
  type InstallationOptions,
  openInstallation,
} from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  body: any;
}

/** The API from the customer's view, on a clock that the test controls; jobs run on request. */
export interface TestApi {
  services: Installation['services'];
  accountId: string;
  runner: JobRunner;
  /** Calls as the account's owner; `as` is another account's key. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, as?: string): Promise<Reply>;
  strangersKey(): Promise<string>;
}

export async function openApi(t: TestContext, options: InstallationOptions = {}): Promise<TestApi> {
  const db = await freshDatabase(t);
  const { services, http, openNode, close } = await openInstallation(db, options);
  defer(t, close);
  const { clock } = services;
  const makeKey = async (accountId: string) => {
    const key = { accountId, name: 'test', scopes: ALL_SCOPES, expiresAt: null, allowCidrs: [] };
    return (await db.transaction((tx) => createKey(tx, clock, key))).key;
  };
  const accountId = await fundedAccount(db, clock);
  const ownKey = await makeKey(accountId);
  return {
    services,
    accountId,
    runner: (await openNode()).runner,
    async call(method, path, body, as = ownKey) {
      const headers = {
        authorization: `Bearer ${as}`,
        'idempotency-key': randomUUID(),
        ...(body && { 'content-type': 'application/json' }),
      };
      const payload = body && JSON.stringify(body);
      const reply = await http.inject({ method, url: path, headers, payload });
      return { status: reply.statusCode, body: reply.json() };
    },
    strangersKey: async () => makeKey(await fundedAccount(db, clock)),
  };
}

/** Creates a VM with its addresses and, unless it was never provisioned, its guest, which runs if the VM does. */
export async function makeVm(
  api: Pick<TestApi, 'services' | 'accountId'>,
  change: Partial<VmRow> = {},
): Promise<VmRow> {
  const { db, clock, compute, catalog } = api.services;
  const vm = await storedVm(db, clock, api.accountId, change);
  const region = findRegion(catalog, vm.region)!;
  await db.transaction((tx) => allocateAddresses(tx, catalog, region, vm.id, clock.now()));
  if (!vm.provisioned_at) return vm;
  await compute.create({
    id: vm.id,
    hostId: 'simulator',
    hostname: vm.hostname,
    template: vm.template,
    region: vm.region,
    mac: vm.mac,
    addresses: await addressesOf(db, vm.id),
    authorizedKeys: [],
    vcpu: vm.vcpu,
    ramMb: vm.ram_mb,
    diskGb: vm.disk_gb,
  });
  if (vm.status === 'running') await compute.start(vm.id);
  return vm;
}
