import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ALL_SCOPES } from '../../../server/access/scopes.ts';
import type { VmRow } from '../../../server/db/queries/vms/vms.ts';
import { createKey } from '../../../server/domain/accounts/keys.ts';
import { fundedAccount } from '../../billing/support.ts';
import { type Installation, openInstallation } from '../../jobs/support/installation.ts';
import { makeVm } from '../../network/support.ts';
import { defer } from '../../support/cleanup.ts';
import { freshDatabase } from '../../support/database.ts';
import { type AgentEvent, EventReader } from './event-reader.ts';
import type { ScriptedGuest } from './guest.ts';
import type { ModelServer } from './model-server.ts';

/** The service in this process, listening, with one VM whose guest and model the test controls. */
export interface Fixture {
  services: Installation['services'];
  vm: VmRow;
  keyId: string;
  /** Sends a body to the agent and returns the stream of the reply. */
  open(body: object): Promise<EventReader>;
  /** Like {@link open}, but reads the stream to its end. */
  run(body: object): Promise<AgentEvent[]>;
  /** Sends a body that the agent must refuse; returns the error. */
  refused(body: object): Promise<{ status: number; code: string; details: Record<string, unknown> }>;
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  status(): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  call(method: string, path: string, body?: object): Promise<{ status: number; json: any }>;
}

export async function openFixture(
  t: TestContext,
  { guest, model }: { guest?: ScriptedGuest; model?: ModelServer },
): Promise<Fixture> {
  const db = await freshDatabase(t);
  const remote = model && {
    VAUBAN_AGENT_PROVIDER: 'openai-compatible',
    VAUBAN_AGENT_MODEL: 'test-model',
    VAUBAN_AGENT_BASE_URL: model.baseUrl,
  };
  const { services, http, openNode, close } = await openInstallation(db, { env: { ...remote } });
  defer(t, close);
  await openNode();
  if (guest) services.compute.openSsh = () => guest.open();
  const accountId = await fundedAccount(db, services.clock);
  const { key, row } = await db.transaction((tx) =>
    createKey(tx, services.clock, {
      accountId,
      name: 'test',
      scopes: ALL_SCOPES,
      expiresAt: null,
      allowCidrs: [],
    }),
  );
  const vm = await makeVm({ services, accountId }, { status: 'running' });
  await services.compute.authorizeKey(vm.id, (await services.opsKeys.current()).publicKey);
  const address = await http.listen({ host: '127.0.0.1', port: 0 });
  defer(t, () => services.agent.stop());
  const path = `/v1/vm/${vm.id}/ai-agent`;
  const send = (method: string, to: string, body?: object, signal?: AbortSignal) =>
    fetch(address + to, {
      method,
      signal,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
  const fixture: Fixture = {
    services,
    vm,
    keyId: row.id,
    async open(body) {
      const hangUp = new AbortController();
      const response = await send('POST', path, body, hangUp.signal);
      if (response.status !== 200) assert.fail(`${response.status} ${await response.text()}`);
      return new EventReader(response, hangUp);
    },
    async run(body) {
      return (await fixture.open(body)).all();
    },
    async refused(body) {
      const response = await send('POST', path, body);
      assert.match(response.headers.get('content-type')!, /json/);
      const { error } = (await response.json()) as {
        error: { code: string; details: Record<string, unknown> };
      };
      return { status: response.status, code: error.code, details: error.details };
    },
    async status() {
      return (await fixture.call('GET', `${path}/status`)).json.data;
    },
    async call(method, to, body) {
      const response = await send(method, to, body);
      return { status: response.status, json: await response.json() };
    },
  };
  return fixture;
}
