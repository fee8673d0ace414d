import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../server/platform/clock.ts';
import { changeReader } from '../../server/platform/nftables/changes.ts';
import {
  devicesIn,
  digest,
  elementsOf,
  marked,
  structureOf,
} from '../../server/platform/nftables/listing.ts';
import { KernelTables } from '../../server/platform/nftables/tables.ts';

const TABLE = 'inet test';

/** Tables that hold a number which this process does not have to write into the kernel. */
function tables(found: { number: number | undefined }) {
  const clock = new ManualClock();
  const errors: object[] = [];
  let alterations = 0;
  let readings = 0;
  const made = new KernelTables<{ number: number }>({
    tables: [TABLE],
    clock,
    logger: { error: (facts: object) => void errors.push(facts) } as never,
    async read() {
      readings++;
      return found.number === undefined ? undefined : { number: found.number };
    },
    isSame: (one, other) => one.number === other.number,
    onAltered: () => {
      alterations++;
    },
    unavailable: (message) => new Error(message),
  });
  // Instead of a watch in the kernel.
  made.watch = () => {};
  return { made, clock, errors, alterations: () => alterations, readings: () => readings };
}

test('tables that are rebuilt again and again raise an alarm, once a minute', () => {
  const { made, clock, errors } = tables({ number: 1 });
  const rebuild = (times: number, everyMs: number) => {
    for (let time = 0; time < times; time++) {
      clock.advance(everyMs);
      made.rebuilt({ number: 1 }, 'devices');
    }
  };
  rebuild(20, 30_000);
  assert.deepEqual(errors, [], 'now and then is no alarm');
  clock.advance(60_000);
  rebuild(59, 1_000);
  assert.deepEqual(errors, [{ tables: [TABLE], times: 5, seconds: 60, why: 'devices' }]);
  rebuild(60, 1_000);
  assert.equal(errors.length, 2);
});

test('a doubt about the tables is reported only if they differ from what they were left with', async () => {
  const found: { number: number | undefined } = { number: 1 };
  const { made, alterations, readings } = tables(found);
  made.hold({ number: 1 });
  made.doubt();
  made.doubt();
  while (readings() === 0) await new Promise(setImmediate);
  await made.lanes.idle();
  assert.deepEqual([alterations(), readings(), made.known], [0, 1, { number: 1 }]);
  for (const number of [2, undefined]) {
    made.hold({ number: 1 });
    found.number = number;
    const before = alterations();
    made.doubt();
    while (alterations() === before) await new Promise(setImmediate);
    assert.equal(made.known, undefined);
  }
});

test('a refused change is tried once more, with what the kernel is found to hold', async () => {
  const found = { number: 7 };
  const { made } = tables(found);
  made.hold({ number: 1 });
  const seen: unknown[] = [];
  await made.change((content, isKnown) => {
    seen.push([content?.number, isKnown]);
    if (isKnown) throw new Error('refused');
    return { lines: [], content: { number: 8 } };
  });
  assert.deepEqual(seen, [
    [1, true],
    [7, false],
  ]);
  assert.deepEqual(made.known, { number: 8 });
});

test("a change is ours if it is signed, another program's if it is about our tables, and of no concern otherwise", () => {
  const heard: string[] = [];
  const read = changeReader({
    tables: [TABLE, 'arp test'],
    signature: 'inet test-own-1',
    onSigned: () => heard.push('signed'),
    onForeign: () => heard.push('foreign'),
    onLost: () => heard.push('lost'),
  });
  const change = (...lines: string[]) => {
    for (const line of [...lines, '# new generation 7 by process 1 (nft)']) read(line);
  };
  change('add rule inet test guard drop', 'add table inet test-own-1', 'delete table inet test-own-1');
  change('delete element arp test cards { vau1 }');
  change('delete table inet test');
  change('add table ip test', 'add chain inet test-own-2 guard', 'add rule ip other c ip daddr 1.2.3.4');
  change('# ERROR: lost some netlink events');
  assert.deepEqual(heard, ['signed', 'foreign', 'foreign', 'lost']);
});

test('devices are read whether nft prints one or several, with quotes or without', () => {
  const header = (devices: string) => `\t\ttype filter hook ingress ${devices} priority -500; policy accept;`;
  assert.deepEqual(devicesIn(header('device "e0"')), ['e0']);
  assert.deepEqual(devicesIn(header('devices = { e0, bond0.100 }')), ['e0', 'bond0.100']);
  assert.deepEqual(devicesIn(header('devices = { "e0", "priority", "e-3" }')), ['e0', 'priority', 'e-3']);
});

test("a listing is told from one that another program has altered by its rules' fingerprints", () => {
  const chain = (name: string) => ({ chain: { family: 'inet', table: 'test', name } });
  const rule = (comment?: string) => ({ rule: { family: 'inet', table: 'test', chain: 'guard', comment } });
  const items = [chain('guard'), chain('empty'), rule(digest('drop')), rule()] as never;
  assert.deepEqual(
    structureOf(items),
    new Map([
      ['inet test guard', [digest('drop'), 'foreign']],
      ['inet test empty', []],
    ]),
  );
  assert.equal(marked('drop'), `drop comment "${digest('drop')}"`);
  const listed = [{ set: { name: 'other', elem: [1] } }, { map: { name: 'cards', elem: [2, 3] } }];
  assert.deepEqual(elementsOf(listed, 'cards'), [2, 3]);
});
