import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPersonByEmail } from '../../server/db/queries/access/people.ts';
import { DEMO_EMAIL } from '../../server/domain/accounts/demo-account.ts';
import { openPanel, signInAs, signInByLink } from './support/panel.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICezVT5R2qvZwBcGACLRQl3RqtgALNNXnQn23z7h5SEt anna@laptop';

test('a person creates a VM, restores a snapshot and rebuilds it', async (t) => {
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
  const locked = await browser.ask('POST', `/vm/${vm.id}/rebuild`, { body: { template: 'debian-12' } });
  assert.equal(locked.error?.code, 'vm_locked');
  await settled();
  const kept = await browser.ask('POST', `/vm/${vm.id}/rebuild`, { body: { template: 'debian-12' } });
  assert.equal(kept.error?.code, 'invalid_state', 'snapshots have to be named');
  const unknown = await browser.ask('POST', `/vm/${vm.id}/rebuild`, { body: { template: 'none' } });
  assert.equal(unknown.error?.code, 'unknown_template');
  const foreign = {
    template: 'debian-12',
    delete_snapshots: true,
    ssh_key_ids: ['key_00000000000000000000000000'],
  };
  const refused = await browser.ask('POST', `/vm/${vm.id}/rebuild`, { body: foreign });
  assert.equal(refused.error?.code, 'validation_failed');
  const body = { template: 'debian-12', delete_snapshots: true };
  const rebuilt = await browser.ok('POST', `/vm/${vm.id}/rebuild`, { body });
  assert.equal(rebuilt.job.kind, 'rebuild');
  assert.equal(typeof rebuilt.initial_password, 'string');
  assert.equal((await settled()).status, 'running');
  const stored = await browser.ok('POST', '/v1/vm/sshkeys', { body: { name: 'laptop', public_key: KEY } });
  const withKey = { template: 'debian-12', ssh_key_ids: [stored.id] };
  const keyed = await browser.ok('POST', `/vm/${vm.id}/rebuild`, { body: withKey });
  assert.equal(keyed.initial_password, null, 'a key may log in');
  assert.equal((await settled()).status, 'running');

  // For another account it does not exist.
  const { browser: stranger } = await signInAs(panel, 'owner');
  for (const other of [`/vm/${vm.id}/rebuild`, `/vm/${vm.id}/snapshots/${snapshot.id}/restore`])
    assert.equal((await stranger.ask('POST', other, { body: { template: 'debian-12' } })).status, 404);
});

test('a machine of a custom size is one order, charged once at the unit prices', async (t) => {
  const panel = await openPanel(t);
  const demo = await findPersonByEmail(panel.services.db, DEMO_EMAIL);
  const browser = await signInByLink(panel, demo!.id);
  const size = { vcpu: 3, ram_mb: 6144, disk_gb: 60 };
  const quote = await browser.ok('GET', '/v1/vm/custom-quote?vcpu=3&ram_mb=6144&disk_gb=60');
  const before = await browser.ok('GET', '/v1/billing/wallet');
  const wish = { ...size, template: 'debian-12', hostname: 'big-1', max_charge_minor: quote.total_minor };
  const dear = await browser.ask('POST', '/vm/custom', {
    body: { ...wish, max_charge_minor: quote.total_minor - 1 },
    idempotencyKey: 'dear',
  });
  assert.equal(dear.error?.code, 'price_changed');
  const beyond = await browser.ask('POST', '/vm/custom', {
    body: { ...wish, vcpu: 1_000 },
    idempotencyKey: 'beyond',
  });
  assert.equal(beyond.error?.code, 'validation_failed');
  const { vm, order } = await browser.ok('POST', '/vm/custom', { body: wish, idempotencyKey: 'big' });
  const again = await browser.ok('POST', '/vm/custom', { body: wish, idempotencyKey: 'big' });
  assert.equal(again.vm.id, vm.id);
  assert.deepEqual([vm.plan, vm.is_custom, vm.vcpu, vm.ram_mb, vm.disk_gb], [null, true, 3, 6144, 60]);
  assert.deepEqual([order.kind, order.amount_minor], ['create', quote.total_minor]);
  for (;;) {
    const now = await browser.ok('GET', `/v1/vm/${vm.id}`);
    if (!now.active_job) break;
    panel.clock.advance(1_000);
  }
  const after = await browser.ok('GET', '/v1/billing/wallet');
  assert.equal(after.available_minor, before.available_minor - quote.total_minor);
  assert.equal(after.held_minor, before.held_minor);
  const { browser: viewer } = await signInAs(panel, 'viewer');
  const refused = await viewer.ask('POST', '/vm/custom', { body: wish, idempotencyKey: 'viewer' });
  assert.equal(refused.error?.code, 'role_required');
});
