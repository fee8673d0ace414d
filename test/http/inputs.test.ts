import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { newPublicKey } from '../acceptance/support/valid-calls.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';

const ORDER = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
const KIB = 1024;

test('inputs', async (t) => {
  const service = await startInProcess(t);
  const customer = await newCustomer(service, { credit: '1000' });
  const refusal = async (method: string, path: string, body: unknown, status = 422) => {
    const reply = await customer.send(method, path, { body, idempotencyKey: crypto.randomUUID() });
    assert.equal(reply.status, status, reply.text);
    return reply.json.error;
  };
  const { vm } = await customer.ask('POST', '/v1/vm', ORDER);
  await customer.settled(vm.id);

  await t.test('32 KiB of user data are bytes', async () => {
    const two = '\u00e9'.repeat(16 * KIB);
    await customer.ask('POST', '/v1/vm', { ...ORDER, user_data: two });
    const { details } = await refusal('POST', '/v1/vm', { ...ORDER, user_data: `${two}x` });
    assert.deepEqual(
      details.fields.map(({ field, code }: { field: string; code: string }) => [field, code]),
      [['user_data', 'too_long']],
    );
  });

  await t.test('an Idempotency-Key has 1 to 200 printable ASCII characters, blanks among them', async () => {
    const order = (idempotencyKey: string) =>
      customer.send('POST', '/v1/vm', { body: { ...ORDER, plan: 'none' }, idempotencyKey });
    const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 0x20 + index)).trim();
    for (const key of ['a b', '~', 'x'.repeat(200), printable])
      assert.equal((await order(key)).json.error.code, 'unknown_plan', key);
    for (const key of ['', 'x'.repeat(201), 'a\tb', 'caf\u00e9'])
      assert.equal((await order(key)).json.error.code, 'idempotency_key_invalid', key);
  });

  await t.test('32 KiB of user data fit, whatever their escapes', async () => {
    // JSON writes this character as six.
    await customer.ask('POST', '/v1/vm', { ...ORDER, user_data: '\u0001'.repeat(32 * KIB) });
  });

  await t.test('an optional field that is null counts as absent, except in a PATCH', async () => {
    const nothing = { region: null, ssh_key_ids: null, start: null, billing: null };
    const { vm: made } = await customer.ask('POST', '/v1/vm', { ...ORDER, ...nothing });
    await customer.settled(made.id);
    const path = `/v1/vm/${made.id}`;
    const rule = { direction: 'in', action: 'accept', protocol: 'tcp', cidrs: ['192.0.2.0/24'] };
    const { priority, enabled } = await customer.ask('POST', `${path}/firewall`, {
      ...rule,
      ports: null,
      priority: null,
      enabled: null,
    });
    assert.deepEqual([priority, enabled], [100, true]);
    for (const [body, field] of [
      [{ ...ORDER, plan: null }, 'plan'],
      [{ ...ORDER, nothing: null }, 'nothing'],
      // JavaScript writes a number that is none as null: it must not buy without a bound.
      [{ ...ORDER, max_charge_minor: null }, 'max_charge_minor'],
    ] as const)
      assert.equal((await refusal('POST', '/v1/vm', body)).details.fields[0].field, field);
    assert.equal((await refusal('PATCH', path, { hostname: null })).details.fields[0].field, 'hostname');
  });

  await t.test('HEAD issues no ticket', async () => {
    const path = `/v1/vm/${vm.id}/console`;
    assert.equal((await customer.send('GET', path)).status, 200);
    const head = (target: string) =>
      fetch(service.baseUrl + target, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${customer.key}` },
      });
    const { status, headers } = await head(path);
    assert.deepEqual([status, headers.get('allow')], [405, 'GET']);
    assert.equal((await head(`/v1/vm/${vm.id}`)).status, 200);
  });

  await t.test('a host name is a name, not an address', async () => {
    const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
    const renamed = (hostname: string) => customer.ask('PATCH', `/v1/vm/${vm.id}`, { hostname });
    for (const name of ['web', 'WEB-1.example', '2026', '1.example', longest])
      assert.equal((await renamed(name)).hostname, name);
    for (const hostname of [
      '192.0.2.1',
      `${longest}d`,
      `${'a'.repeat(64)}`,
      'a..b',
      '-a',
      'a-',
      'a_b',
      '2001:db8::1',
    ]) {
      await refusal('PATCH', `/v1/vm/${vm.id}`, { hostname });
      await refusal('POST', '/v1/vm', { ...ORDER, hostname });
    }
  });

  await t.test(
    'a network may be written as an address or as mapped IPv4, and is stored in one way',
    async () => {
      const rule = { direction: 'in', action: 'accept', protocol: 'udp', ports: '53' };
      const stored = (cidrs: string[]) =>
        customer.ask('POST', `/v1/vm/${vm.id}/firewall`, { ...rule, cidrs });
      const { cidrs } = await stored([
        '192.0.2.7',
        '2001:DB8:0::1',
        '::ffff:198.51.100.0/120',
        '::ffff:203.0.113.9',
      ]);
      assert.deepEqual(cidrs, ['192.0.2.7/32', '2001:db8::1/128', '198.51.100.0/24', '203.0.113.9/32']);
      const twice = ['198.51.100.0/24', '::ffff:c633:6400/120'];
      const { details } = await refusal('POST', `/v1/vm/${vm.id}/firewall`, { ...rule, cidrs: twice });
      assert.deepEqual([details.fields[0].field, details.fields[0].code], ['cidrs.1', 'duplicate']);
      await refusal('POST', `/v1/vm/${vm.id}/firewall`, { ...rule, cidrs: ['::ffff:198.51.100.1/120'] });
      // Wider than the mapped addresses: an IPv6 network like any other.
      assert.deepEqual((await stored(['::/64'])).cidrs, ['::/64']);
    },
  );

  await t.test('names are trimmed and not blank', async () => {
    const key = { name: '  laptop ', public_key: newPublicKey() };
    assert.equal((await customer.ask('POST', '/v1/vm/sshkeys', key)).name, 'laptop');
    const share = await customer.ask('POST', `/v1/vm/${vm.id}/console-shares`, {
      mode: 'read_only',
      label: ' for support\u00a0',
    });
    assert.equal(share.label, 'for support');
    const { snapshot } = await customer.ask('POST', `/v1/vm/${vm.id}/snapshots`, { name: ' before ' });
    assert.equal(snapshot.name, 'before');
    for (const blank of ['', ' ', '\u00a0\u2003', 'a\nb', '\t']) {
      await refusal('POST', '/v1/vm/sshkeys', { name: blank, public_key: newPublicKey() });
      await refusal('POST', `/v1/vm/${vm.id}/snapshots`, { name: blank });
      await refusal('POST', `/v1/vm/${vm.id}/console-shares`, { mode: 'read_only', label: blank });
    }
  });

  await t.test(
    'a VM that could not be made can be described and removed, and says why it does nothing',
    async () => {
      const { vm: made } = await customer.ask('POST', '/v1/vm', { ...ORDER, hostname: 'sim-fail-create' });
      const failed = await customer.settled(made.id);
      assert.equal(failed.status, 'error');
      const path = `/v1/vm/${made.id}`;
      assert.equal((await customer.ask('PATCH', path, { notes: 'to be deleted' })).notes, 'to be deleted');
      const rule = { direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: ['0.0.0.0/0'] };
      const { id } = await customer.ask('POST', `${path}/firewall`, rule);
      await customer.ask('DELETE', `${path}/firewall/${id}`);
      const error = await refusal('POST', `${path}/start`, {}, 409);
      assert.deepEqual(
        [error.code, error.message],
        ['invalid_state', 'The VM could not be created and was not charged. Delete it.'],
      );
    },
  );

  await t.test('a VM in error says what brought it there and what leads out', async () => {
    const { vm: broken } = await customer.ask('POST', '/v1/vm', {
      ...ORDER,
      hostname: 'sim-fail-start',
      start: false,
    });
    await customer.settled(broken.id);
    await customer.ask('POST', `/v1/vm/${broken.id}/start`, {});
    await customer.settled(broken.id);
    await service.db.query(sql`update vms set status = 'error' where id = ${broken.id}`);
    const error = await refusal('POST', `/v1/vm/${broken.id}/reboot`, {}, 409);
    assert.match(
      error.message,
      /^The VM is in error, because its last job \(start\) failed: .+ Start it or force it to stop\. It must be running\.$/,
    );
    await customer.ask('POST', `/v1/vm/${broken.id}/force-stop`, {});
  });

  await t.test('a region without addresses is not available', async () => {
    const regions = async () => {
      const { plans } = await customer.ask('GET', '/v1/vm/catalog');
      return plans.find(({ code }: { code: string }) => code === 's1').regions;
    };
    const before = await regions();
    assert.ok(before.every(({ available }: { available: boolean }) => available));
    const [{ code }] = before;
    await service.db.query(
      sql`update ip_pools set next_offset = last_offset + 1 where name = ${`${code}-v4`}`,
    );
    for (const { code: region, available } of await regions())
      assert.equal(available, region !== code, region);
  });
});
