import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileRules, firstMatch } from '../../server/edge/simulator/packet.ts';
import { depth } from '../support/depth.ts';
import { anyPacket, anyRule, reference } from './support/oracle.ts';

test("the simulated edge's verdict is that of a plain evaluation, for any rules and packets", (t) => {
  const places = new Map<number, number>();
  const property = fc.property(
    fc.array(anyRule, { maxLength: 12 }),
    fc.array(anyPacket, { minLength: 20, maxLength: 20 }),
    (rules, packets) => {
      const compiled = compileRules(rules);
      for (const one of packets) {
        const place = firstMatch(compiled, one);
        places.set(place, (places.get(place) ?? 0) + 1);
        assert.equal(place, reference(rules, one), JSON.stringify(one));
      }
    },
  );
  fc.assert(property, { numRuns: depth(500, 3_000) });
  const total = [...places.values()].reduce((sum, n) => sum + n, 0);
  const matched = total - (places.get(-1) ?? 0);
  t.diagnostic(
    `${total} verdicts, ${matched} of them by a rule, ${matched - (places.get(0) ?? 0)} by a later one`,
  );
  assert.ok(matched > total / 10 && matched < total, 'rules and packets meet');
});
