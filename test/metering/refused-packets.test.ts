import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuestSample, RefusedPackets } from '../../server/compute/driver.ts';
import { RefusalWatch } from '../../server/metering/refused-packets.ts';
import { createMetrics } from '../../server/platform/metrics.ts';

const sample = (id: string, refused?: RefusedPackets) => ({ id, refused }) as GuestSample;

test('packets refused beyond limits are counted by limit, and a guest is named as it begins to meet one', async () => {
  const metrics = createMetrics('1');
  const warnings: unknown[] = [];
  const logger = { warn: (...words: unknown[]) => void warnings.push(words) } as never;
  const watch = new RefusalWatch({ metrics, logger });
  const round = (...samples: GuestSample[]) => {
    watch.note(samples);
    watch.endRound();
  };
  const counted = async (limit: string) => {
    const line = new RegExp(`^vauban_guest_packets_refused_total{limit="${limit}"} (\\d+)$`, 'm');
    return Number(line.exec(await metrics.text())?.[1]);
  };

  // Packets refused before the service started were counted by the previous service.
  round(sample('vm_a', { connections: 5, packets: 7 }), sample('vm_b'));
  assert.deepEqual([await counted('connections'), await counted('packets')], [0, 0]);
  round(sample('vm_a', { connections: 5, packets: 17 }), sample('vm_b'));
  round(sample('vm_a', { connections: 8, packets: 19 }));
  assert.deepEqual([await counted('connections'), await counted('packets')], [3, 12]);
  const words = 'packets of a guest are dropped because of its limits';
  assert.deepEqual(warnings, [[{ vm_id: 'vm_a', refused: { connections: 0, packets: 10 } }, words]]);

  // Another interface counts from zero; the next refusal is logged again.
  round(sample('vm_a', { connections: 0, packets: 1 }));
  assert.deepEqual([await counted('connections'), await counted('packets')], [3, 12]);
  round(sample('vm_a', { connections: 0, packets: 2 }));
  assert.equal(await counted('packets'), 13);
  assert.equal(warnings.length, 2);
});
