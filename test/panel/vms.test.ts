import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPersonByEmail } from '../../server/db/queries/people.ts';
import { DEMO_EMAIL } from '../../server/domain/accounts/demo-account.ts';
import { openPanel, signInAs, signInByLink } from './support/panel.ts';

test('a person makes a VM, brings it back to a snapshot and makes it anew', async (t) => {
  const panel = await openPanel(t);
  const demo = await findPersonByEmail(panel.services.db, DEMO_EMAIL);
  const browser = await signInByLink(panel, demo!.id);
  const order = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
  const { vm } = await browser.ok('POST', '/v1/vm', { body: order, idempotencyKey: 'one' });
  const again = await browser.ask('POST', '/v1/vm', { body: order, idempotencyKey: 'one' });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const path = `/v1/vm/${vm.id}`;
  const settled = async () => {
    for (;;) {
      const now = await browser.ok('GET', path);
      if (!now.active_job) return now;
      panel.clock.advance(1_000);
    }
  };
  assert.equal((await settled()).status, 'running');
  const { snapshot } = await browser.ok('POST', `${path}/snapshots`, { body: { name: 'before' } });
  await settled();
  const restored = await browser.ok('POST', `/vm/${vm.id}/snapshots/${snapshot.id}/restore`);
  assert.equal(restored.job.kind, 'snapshot_restore');
  const locked = await browser.ask('POST', `/vm/${vm.id}/rebuild`, { body: { image: 'debian-12' } });
  assert.equal(locked.error?.code, 'vm_locked');
  await settled();
  const kept = await browser.ask('POST', `/vm/${vm.id}/rebuild`, { body: { image: 'debian-12' } });
  assert.equal(kept.error?.code, 'invalid_state', 'snapshots have to be named');
  const unknown = await browser.ask('POST', `/vm/${vm.id}/rebuild`, { body: { image: 'none' } });
  assert.equal(unknown.error?.code, 'unknown_template');
  const body = { image: 'debian-12', delete_snapshots: true };
  const rebuilt = await browser.ok('POST', `/vm/${vm.id}/rebuild`, { body });
  assert.equal(rebuilt.job.kind, 'rebuild');
  assert.equal(typeof rebuilt.initial_password, 'string');
  assert.equal((await settled()).status, 'running');
  // Of another account it is nothing that there is.
  const { browser: stranger } = await signInAs(panel, 'owner');
  for (const other of [`/vm/${vm.id}/rebuild`, `/vm/${vm.id}/snapshots/${snapshot.id}/restore`])
    assert.equal((await stranger.ask('POST', other, { body: { image: 'debian-12' } })).status, 404);
});
