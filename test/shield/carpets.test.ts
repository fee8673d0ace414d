// Runs on the embedded engine only: it is about the detector; test/chaos/shield.full.test.ts stores attacks on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openScripted } from './scripted-edge.ts';
import { attacksOn, rulesOf, type TestTarget } from './support.ts';

const NEIGHBOURS = 6;
const LENGTH = 500;
/** Packets of the flood per millisecond: 1.5 times the threshold of a single target. */
const PER_MS = 60;
const SECOND_LOOKS = 4;

test('a carpet bomb that stays on each address for less than a look, or a little longer, is seen', async (t) => {
  for (const { stays, most } of [
    { stays: 90, most: 1_000 },
    { stays: 400, most: 3_500 },
  ]) {
    await t.test(`${stays} ms on each of ${NEIGHBOURS}`, async (t) => {
      const { api, target, quarter, receive } = await openScripted(t);
      const targets: TestTarget[] = [];
      for (let n = 0; n < NEIGHBOURS; n++)
        targets.push(await target({ ...(targets[0] && { tenantId: targets[0].tenantId }) }));
      const usual = () => {
        for (const one of targets) receive(one, 1, LENGTH);
      };
      for (let look = 0; look < 5 * SECOND_LOOKS; look++) await quarter((ms) => ms % 50 === 0 && usual());
      for (const one of targets) assert.deepEqual(await attacksOn(api, one), []);

      const from = api.services.clock.now().getTime();
      const flood = (ms: number) =>
        receive(targets[Math.floor((ms - from) / stays) % NEIGHBOURS]!, PER_MS, LENGTH);
      const seen = new Map<string, number>();
      while (seen.size < NEIGHBOURS) {
        await quarter(flood);
        const ms = api.services.clock.now().getTime() - from;
        assert.ok(ms <= most, `${seen.size} of ${NEIGHBOURS} are seen after ${ms} ms`);
        for (const one of targets)
          if ((await attacksOn(api, one)).length > 0 && !seen.has(one.id)) seen.set(one.id, ms);
      }
      t.diagnostic(`${stays} ms on each: seen after ${[...new Set(seen.values())].join(' and ')} ms`);

      // Each target gets a rule once the flood returns to it, and none counts as mitigated before.
      for (let look = 0; look < 4 * SECOND_LOOKS; look++) {
        await quarter(flood);
        for (const one of targets) {
          const [attack] = await attacksOn(api, one);
          if (attack!.mitigated_at) assert.equal((await rulesOf(api, one)).length, 1, one.ip);
        }
      }
      for (const one of targets) {
        const [attack, ...others] = await attacksOn(api, one);
        assert.deepEqual(others, []);
        assert.deepEqual(attack!.vectors, ['udp_flood']);
        assert.ok(attack!.mitigated_at, one.ip);
        assert.notEqual(attack!.reason, '');
      }
    });
  }
});

test('neighbours that are busy one after the other, each for its own reasons, are not attacked', async (t) => {
  const { api, target, quarter, receive } = await openScripted(t);
  const targets: TestTarget[] = [];
  for (let n = 0; n < NEIGHBOURS; n++)
    targets.push(await target({ ...(targets[0] && { tenantId: targets[0].tenantId }) }));
  // A backup: two seconds on one target, then on the next, and so on.
  const from = api.services.clock.now().getTime();
  const backup = (ms: number) => receive(targets[Math.floor((ms - from) / 2_000) % NEIGHBOURS]!, 35, LENGTH);
  for (let look = 0; look < 24 * SECOND_LOOKS; look++) await quarter(backup);
  for (const one of targets) assert.deepEqual(await attacksOn(api, one), []);
});
