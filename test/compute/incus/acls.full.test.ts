import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { isInstalled } from '../../../scripts/installed.ts';
import { Acls } from '../../../server/compute/incus/acls.ts';
import { IncusError } from '../../../server/compute/incus/client.ts';
import { Members } from '../../../server/compute/incus/members.ts';
import { defer } from '../../support/cleanup.ts';
import { identityOf } from './daemon.ts';
import { PatientClock } from './node.ts';

const NAME = 'vm-1';
const skip = isInstalled('openssl') ? false : 'openssl is not installed';

/** Serves an API with one ACL. `deleted` answers its deletion: true if it is gone afterwards, or a refusal. */
async function withAcl(t: TestContext, deleted: () => true | { code: number; error: string }) {
  const identity = identityOf(t);
  let isThere = true;
  const server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) => {
    const absent = { code: 404, error: 'Network ACL not found' };
    const answer = !isThere ? absent : request.method === 'DELETE' ? deleted() : true;
    if (request.method === 'DELETE' && answer === true) isThere = false;
    if (answer === true) response.end(JSON.stringify({ type: 'sync', metadata: { config: {} } }));
    else response.end(JSON.stringify({ type: 'error', error_code: answer.code, error: answer.error }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => server.close());
  const clock = new PatientClock();
  const endpoints = [`https://127.0.0.1:${(server.address() as AddressInfo).port}`];
  const members = new Members({ clock, endpoints, identity });
  defer(t, () => members.close());
  const acls = new Acls(members, 'default', clock);
  const remove = async () => {
    let isOver = false;
    const removing = acls.remove(NAME).finally(() => {
      isOver = true;
    });
    await Promise.all([removing, clock.until(() => isOver)]);
  };
  return { remove, isThere: () => isThere };
}

test('an ACL that Incus considers absent, because another was deleted, is deleted', { skip }, async (t) => {
  let asked = 0;
  const { remove, isThere } = await withAcl(t, () => {
    return ++asked > 1 || { code: 404, error: 'Network ACL not found' };
  });
  await remove();
  assert.equal(isThere(), false);
  assert.equal(asked, 2);
  await remove();
});

test('another refusal of Incus is an error', { skip }, async (t) => {
  const { remove, isThere } = await withAcl(t, () => ({ code: 500, error: 'the disk is on fire' }));
  await assert.rejects(remove(), IncusError);
  assert.equal(isThere(), true);
});
