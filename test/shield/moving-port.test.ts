// Runs on the embedded engine only: it is about the detector; test/chaos/shield.full.test.ts stores attacks on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openScripted } from './scripted-edge.ts';
import { attacksOn, rulesOf } from './support.ts';

const PER_MS = 200;
const LENGTH = 400;
/** Looks per second. */
const SECOND = 4;

test('an attack that moves on to another source port is met there, and so when it comes back', async (t) => {
  const { api, target, receive, quarter } = await openScripted(t);
  const attacked = await target();
  for (let looks = 0; looks < SECOND; looks++) await quarter();
  const flood = async (port: number, seconds: number) => {
    for (let look = 0; look < seconds * SECOND; look++)
      await quarter(() => receive(attacked, PER_MS, LENGTH, port));
  };
  const blocked = async () =>
    (await rulesOf(api, attacked)).flatMap(({ source_ports }) => source_ports).sort();

  await flood(53, 2);
  assert.deepEqual(await blocked(), ['53']);
  // Both before and after a port sample has become too old to be trusted.
  await flood(123, 3);
  assert.deepEqual(await blocked(), ['123', '53']);
  await flood(53, 10);
  assert.deepEqual(await blocked(), ['123', '53']);
  await flood(11_211, 3);
  assert.deepEqual(await blocked(), ['11211', '123', '53']);
  const [attack, ...others] = await attacksOn(api, attacked);
  assert.deepEqual(others, []);
  assert.deepEqual(attack!.vectors, ['dns_amplification', 'ntp_amplification', 'udp_flood']);
});
