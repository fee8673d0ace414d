import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { Client } from '../support/client.ts';
import { SCOPES } from '../support/roster.ts';
import type { Installation } from '../support/start.ts';
import { Transport } from '../support/transport.ts';
import { newSubject, newVm } from '../support/world.ts';

/** A local address that is configured as a proxy; otherwise tests connect from 127.0.0.1. */
export const PROXY = '127.0.0.2';
const OFFICE = ['198.51.100.0/24', '2001:db8:a::/48'];

/** The address that a proxy forwards, and whether the office's key may be used from there. */
const FORWARDED: [string, 'ok' | 'ip_not_allowed'][] = [
  ['198.51.100.7', 'ok'],
  ['198.51.101.7', 'ip_not_allowed'],
  ['2001:db8:a::1', 'ok'],
  ['2001:0DB8:000A:0000:0000:0000:0000:0001', 'ok'],
  ['2001:db8:b::1', 'ip_not_allowed'],
  ['::ffff:198.51.100.7', 'ok'],
  // Only the last entry counts, which the proxy added; the caller may have invented everything before it.
  ['203.0.113.9, 198.51.100.7', 'ok'],
  ['198.51.100.7, 203.0.113.9', 'ip_not_allowed'],
  [`198.51.100.7, ${PROXY}`, 'ok'],
  ['', 'ip_not_allowed'],
  ['unknown', 'ip_not_allowed'],
  ['198.51.100.7:4711', 'ip_not_allowed'],
  ['198.51.100.300', 'ip_not_allowed'],
  [`${'1, '.repeat(500)}198.51.100.7`, 'ok'],
];

/** Restricts where a key may be used from. The service trusts {@link PROXY}. */
export async function access(t: TestContext, { operator, client, baseUrl }: Installation): Promise<void> {
  const account = await operator.account('office');
  const direct = client.withKey(await operator.key(account, SCOPES, { from: OFFICE }));
  const transport = new Transport(baseUrl(), PROXY);
  defer(t, () => transport.close());
  const throughProxy = new Client(transport, await operator.key(account, SCOPES, { from: OFFICE }));
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  await t.test('a list of networks is enforced', async () => {
    await direct.refused('getWallet', 'ip_not_allowed');
    const here = client.withKey(await operator.key(account, SCOPES, { from: ['127.0.0.0/8', '::1/128'] }));
    await here.ok('getWallet');
    await throughProxy.refused('getWallet', 'ip_not_allowed');
  });

  await t.test('a trusted proxy is believed', async () => {
    for (const [address, expected] of FORWARDED) {
      const { code = 'ok' } = await throughProxy.call('getWallet', from(address));
      assert.equal(code, expected, `X-Forwarded-For: ${address.slice(0, 60)}`);
    }
  });

  await t.test('an untrusted address is not', async () => {
    for (const [address] of FORWARDED) await direct.refused('getWallet', 'ip_not_allowed', from(address));
  });

  await t.test('other headers are not', async () => {
    for (const name of ['x-real-ip', 'forwarded', 'true-client-ip', 'cf-connecting-ip', 'x-client-ip']) {
      const headers = { [name]: name === 'forwarded' ? 'for=198.51.100.7' : '198.51.100.7' };
      await throughProxy.refused('getWallet', 'ip_not_allowed', { headers });
    }
  });

  await t.test('the event log names the caller, not the proxy', async () => {
    const { client: owner, account } = await newSubject(operator, client);
    const vm = await newVm(owner, 'seen');
    const key = await operator.key(account, SCOPES, { from: OFFICE });
    await throughProxy
      .withKey(key)
      .ok('updateVm', { at: [vm.id], body: { notes: 'x' }, ...from('2001:db8:a::1') });
    const query = { type: 'vm.updated' };
    const [event] = await owner.ok<{ actor: { ip: string } }[]>('listEvents', { at: [vm.id], query });
    assert.equal(event?.actor.ip, '2001:db8:a::1');
  });
}
