import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCustomer, operate } from '../chaos/support/customer.ts';
import { call } from '../operator/support.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { failingStart, WRONG_CONFIGURATION } from '../support/failing-start.ts';
import { startService } from '../support/service.ts';

const FAST = { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' };

test('without an edge no address can be said to be protected', async (t) => {
  const location = await freshDatabaseLocation(t);
  const off = { ...FAST, VAUBAN_EDGE: 'off' };
  const first = await startService(t, { location, env: off });
  const customer = await newCustomer(first);
  const body = { plan: 's1', template: 'debian-12', hostname: 'web' };
  const { vm } = await customer.ask('POST', '/v1/vm', body);
  await customer.settled(vm.id);
  const { id: tenant } = await operate(first, `/accounts/${customer.accountId}/tenants`, { name: 'T' });
  const { ipv4: ip } = await customer.ask('GET', `/v1/vm/${vm.id}`);
  const refused = await call(first.operatorSocket, 'POST', `/tenants/${tenant}/targets`, { ip });
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.json().error.message, /no DDoS edge here \(VAUBAN_EDGE is off\)/);
  const watched = await operate(first, `/tenants/${tenant}/targets`, { ip, mode: 'off' });
  const mode = await call(first.operatorSocket, 'POST', `/targets/${watched.id}/mode`, { mode: 'always_on' });
  assert.equal(mode.status, 409);
  // The customer sees the truth: nothing is protected, nothing is measured.
  const [target] = await customer.ask('GET', `/v1/tenants/${tenant}/targets`);
  assert.deepEqual([target.mode, target.status], ['off', 'clean']);
  const traffic = await customer.ask('GET', `/v1/tenants/${tenant}/traffic`);
  for (const { points } of Object.values<{ points: [number, number | null][] }>(traffic.series))
    assert.ok(points.every(([, value]) => value === null));
  assert.equal((await fetch(`${first.baseUrl}/readyz`)).status, 200);
  await first.stop();

  const second = await startService(t, { location, env: FAST });
  await operate(second, `/targets/${watched.id}/mode`, { mode: 'always_on' });
  await second.stop();
  const { status, stderr } = await failingStart(location, off);
  assert.equal(status, WRONG_CONFIGURATION, stderr);
  assert.match(stderr, /^VAUBAN_EDGE: 1 address is protected; before off, [^\n]+\n$/);
});
