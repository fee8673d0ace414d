import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ALL_SCOPES } from '../../../server/access/scopes.ts';
import type { ApiKeyRow } from '../../../server/db/queries/access/api-keys.ts';
import { updateVm, type VmRow } from '../../../server/db/queries/vms/vms.ts';
import { createKey } from '../../../server/domain/accounts/keys.ts';
import { fundedAccount, storedVm } from '../../billing/support.ts';
import { type InProcessOptions, startInProcess } from '../../chaos/support/in-process.ts';
import { call } from '../../operator/support.ts';
import { startRfbGuest } from './rfb-guest.ts';
import { startSshGuest } from './ssh-guest.ts';

/** A service on the test's clock, with one customer who has one running VM. */
export type ConsoleEnv = Awaited<ReturnType<typeof openEnv>>;

export async function openEnv(t: TestContext, options: InProcessOptions = {}) {
  const installation = await startInProcess(t, {
    ...options,
    env: { VAUBAN_RATE_LIMIT_KEY: '100000', VAUBAN_RATE_LIMIT_ACCOUNT: '100000', ...options.env },
  });
  const { service, clock, db, baseUrl, operatorSocket } = installation;
  const { compute, guests, signals, opsKeys } = service.services;
  // The service's VMs are rows without guests; the test provides their screens and shells.
  await guests.hold();
  const ssh = await startSshGuest(t, {
    authorizedKeys: [(await opsKeys.current()).publicKey],
    users: ['debian', 'deploy'],
  });
  const rfb = await startRfbGuest(t);
  Object.assign(compute, { openSsh: ssh.open, openVnc: rfb.open });
  const accountId = await fundedAccount(db, clock);

  const newKey = (): Promise<{ key: string; row: ApiKeyRow }> =>
    db.transaction((tx) =>
      createKey(tx, clock, { accountId, name: 'test', scopes: ALL_SCOPES, expiresAt: null, allowCidrs: [] }),
    );
  const newVm = (): Promise<VmRow> => storedVm(db, clock, accountId);
  const own = { ...(await newKey()), vm: await newVm() };

  const env = {
    ...installation,
    ...own,
    accountId,
    ssh,
    rfb,
    newKey,
    newVm,
    /** Calls the API, which must reply with `status`. Returns `data`, or the error. */
    async ask(method: string, path: string, body?: object, { key = own.key, status = 200 } = {}) {
      const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
      const reply = await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
      // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
      const json = (await reply.json()) as any;
      assert.equal(reply.status, status, JSON.stringify(json));
      return json.data ?? json.error;
    },
    /** Requests a ticket for the screen, in the form that opens a socket. */
    async screen(vm = own.vm, key = own.key) {
      const { ws_url, ticket } = await env.ask('GET', `/v1/vm/${vm.id}/console`, undefined, { key });
      return { url: ws_url as string, secret: ticket as string, protocols: ['binary', ticket as string] };
    },
    /** Requests a token for a terminal, or with `raw` for port 22. */
    async terminal(body: object = {}, { raw = false, vm = own.vm, key = own.key } = {}) {
      const { ws_url, token } = await env.ask('POST', `/v1/vm/${vm.id}/ssh-token`, body, { key });
      const protocols = [raw ? 'vauban.ssh.raw' : 'vauban.ssh', token as string];
      return { url: ws_url as string, secret: token as string, protocols };
    },
    /** Creates a share link, in the form that opens a viewer's socket. */
    async share(body: object = {}, vm = own.vm) {
      const share = await env.ask('POST', `/v1/vm/${vm.id}/console-shares`, {
        mode: 'read_write',
        ...body,
      });
      const [page, secret] = share.url.split('#') as [string, string];
      const url = `${page.replace(/^http/, 'ws')}/socket`;
      return { id: share.id as string, page: share.url as string, url, protocols: ['vauban.share', secret] };
    },
    /** Changes the VM as the end of a job does. */
    async become(change: Parameters<typeof updateVm>[2], vm = own.vm) {
      await db.transaction(async (tx) => {
        await updateVm(tx, vm.id, change, clock.now());
        await signals.vmChanged(tx, vm.id);
      });
    },
    revokeKey: (id: string) => call(operatorSocket, 'POST', `/keys/${id}/revoke`),
    metrics: async () => (await call(operatorSocket, 'GET', '/metrics')).text,
  };
  return env;
}
