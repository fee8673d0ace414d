import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { openShield, type Rule, read, rulesOf } from './support.ts';

const SECOND = 1000;
const DNS = { action: 'block', protocol: 'udp', source_ports: ['53'] };

test('rules', async (t) => {
  const shield = await openShield(t);
  const { api, edge } = shield;
  const { clock, db } = api.services;
  const target = await shield.target();
  const add = (body: object, path = target.rules) => api.call('POST', path, body);
  const onEdge = async () => (await edge.readRuleCounters([target.id])).rows.map(({ id }) => id);
  const clear = async () => {
    for (const { id } of await rulesOf(api, target)) await api.call('DELETE', `${target.rules}/${id}`);
    await shield.reconciler.idle();
  };
  const refusedFields = async (body: object, path = target.rules) => {
    const { status, body: reply } = await add(body, path);
    assert.equal(status, 422, JSON.stringify(reply));
    return reply.error.details.fields.map(({ field, code }: { field: string; code: string }) => [
      field,
      code,
    ]);
  };

  await t.test('one is written, put on the edge, and taken off', async () => {
    const added = await add({ ...DNS, comment: 'no DNS', packet_length: { min: 600, max: 65_535 } });
    assert.equal(added.status, 200);
    const { id, created_at, ...rule } = added.body.data;
    assert.match(id, /^rul_/);
    assert.ok(created_at);
    assert.deepEqual(rule, {
      action: 'block',
      protocol: 'udp',
      source: null,
      source_ports: ['53'],
      destination_ports: [],
      packet_length: { min: 600, max: 65_535 },
      tcp_flags: null,
      fragments: 'any',
      rate: null,
      priority: 100,
      comment: 'no DNS',
      expires_at: null,
      enabled: true,
      origin: 'user',
      status: 'pending',
    });
    await shield.reconciler.idle();
    assert.deepEqual(await rulesOf(api, target), [{ ...added.body.data, status: 'active' }]);
    assert.deepEqual(await onEdge(), [id]);
    const deleted = await api.call('DELETE', `${target.rules}/${id}`);
    assert.deepEqual(deleted, { status: 200, body: { data: { id, deleted: true } } });
    await shield.reconciler.idle();
    assert.deepEqual(await rulesOf(api, target), []);
    assert.deepEqual(await onEdge(), []);
    assert.equal((await api.call('DELETE', `${target.rules}/${id}`)).status, 404);
  });

  await t.test('adding one moves traffic from passed to dropped', async () => {
    await shield.attack(target, 'udp_flood', 10_000, 60);
    const rates = async () => {
      const before = (await edge.readTotals()).rows.find(({ id }) => id === target.id)!;
      clock.advance(5 * SECOND);
      const after = (await edge.readTotals()).rows.find(({ id }) => id === target.id)!;
      const passed = (after.passed.packets - before.passed.packets) / 5;
      return { passed, dropped: (after.in.packets - before.in.packets) / 5 - passed };
    };
    const open = await rates();
    assert.ok(open.passed > 10_000 && open.dropped === 0);
    await add({ action: 'rate_limit', protocol: 'udp', rate: { pps: 4_000 } });
    await shield.reconciler.idle();
    const limited = await rates();
    assert.ok(limited.passed < 8_000 && limited.dropped > 6_000 - 1);
    await add({ action: 'block', protocol: 'udp', priority: 10 });
    await shield.reconciler.idle();
    const blocked = await rates();
    assert.ok(blocked.passed < 3_000 && blocked.dropped > 10_000 - 1, 'the lower priority comes first');
    await edge.attacks!.stop(target.id);
    await clear();
  });

  await t.test('the grammar, field by field', async () => {
    const cases: [object, [string, string][]][] = [
      [{}, [['action', 'required']]],
      [{ ...DNS, source: '203.0.113.1/24' }, [['source', 'invalid_format']]],
      [{ ...DNS, source: '2001:db8::/32' }, [['source', 'conflict']]],
      [{ ...DNS, source: '203.0.113' }, [['source', 'invalid_format']]],
      [{ ...DNS, protocol: 'icmpv6', source_ports: [] }, [['protocol', 'conflict']]],
      [{ ...DNS, protocol: 58, source_ports: [] }, [['protocol', 'conflict']]],
      [{ ...DNS, protocol: 'gre' }, [['source_ports', 'conflict']]],
      [
        { ...DNS, protocol: 'any', destination_ports: ['1'] },
        [
          ['source_ports', 'conflict'],
          ['destination_ports', 'conflict'],
        ],
      ],
      [
        { ...DNS, source_ports: ['53', '70000', '9-1'] },
        [
          ['source_ports.1', 'invalid_format'],
          ['source_ports.2', 'invalid_format'],
        ],
      ],
      [{ ...DNS, packet_length: { min: 10, max: 9 } }, [['packet_length', 'conflict']]],
      [{ ...DNS, tcp_flags: { set: ['syn'], unset: [] } }, [['tcp_flags', 'conflict']]],
      [
        { action: 'block', protocol: 'tcp', tcp_flags: { set: ['syn'], unset: ['syn'] } },
        [['tcp_flags', 'conflict']],
      ],
      [{ ...DNS, rate: { pps: 1 } }, [['rate', 'conflict']]],
      [{ ...DNS, action: 'rate_limit' }, [['rate', 'required']]],
      [{ action: 'block' }, [['confirm_block_all', 'required']]],
      [{ action: 'block', confirm_block_all: false }, [['confirm_block_all', 'required']]],
      [
        { action: 'block', source: '0.0.0.0/0', packet_length: { min: 0, max: 65_535 } },
        [['confirm_block_all', 'required']],
      ],
      [{ ...DNS, expires_at: clock.now().toISOString() }, [['expires_at', 'in_the_past']]],
    ];
    for (const [body, problems] of cases) {
      assert.deepEqual(await refusedFields(body), problems, JSON.stringify(body));
    }
    for (const body of [
      { ...DNS, source_ports: Array.from({ length: 17 }, (_, port) => `${port + 1}`) },
      { ...DNS, priority: 1_001 },
      { ...DNS, protocol: 256 },
      { ...DNS, protocol: 'sctp' },
      { ...DNS, action: 'rate_limit', rate: { pps: 1, bps: 1 } },
      { ...DNS, action: 'rate_limit', rate: {} },
      { ...DNS, action: 'rate_limit', rate: { pps: 0 } },
      { ...DNS, comment: 'x'.repeat(201) },
      { ...DNS, port: '53' },
    ]) {
      assert.equal((await add(body)).status, 422, JSON.stringify(body));
    }
    assert.deepEqual(await rulesOf(api, target), [], 'a refusal writes nothing');
    assert.equal((await add({ action: 'block', confirm_block_all: true })).status, 200);
    await clear();
  });

  await t.test('equivalent rules have one spelling, and a target has each once', async () => {
    const first = await add({ ...DNS, source_ports: ['1000-2000', '53', '53-53'], source: '203.0.113.0/24' });
    assert.deepEqual(first.body.data.source_ports, ['53', '1000-2000']);
    const same = { ...DNS, source_ports: ['53', '1000-2000'], source: '203.0.113.0/24' };
    for (const twin of [
      same,
      { ...same, protocol: 17 },
      { ...same, priority: 1, comment: 'again', enabled: false },
    ]) {
      const { status, body } = await add(twin);
      assert.deepEqual([status, body.error.code], [409, 'rule_exists']);
      assert.deepEqual(body.error.details, { existing_id: first.body.data.id });
    }
    for (const other of [
      { ...same, action: 'rate_limit', rate: { pps: 10 } },
      { ...same, action: 'rate_limit', rate: { bps: 10 } },
      { ...same, fragments: 'none' },
      { ...same, source: '203.0.113.0/25' },
    ]) {
      assert.equal((await add(other)).status, 200, JSON.stringify(other));
    }
    const another = await shield.target({ tenantId: target.tenantId });
    assert.equal((await add(same, another.rules)).status, 200, 'another target may have it as well');
    await clear();
  });

  await t.test('the same rule, requested ten times at once, exists once', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => add(DNS)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ body }) => body.error?.code === 'rule_exists').length, 9);
    await shield.reconciler.idle();
    assert.equal((await onEdge()).length, 1);
    await clear();
  });

  await t.test('order is by priority, then by age; disabled rules are not in force', async () => {
    const made: Rule[] = [];
    for (const [port, priority, enabled] of [
      ['1', 500, true],
      ['2', 100, true],
      ['3', 100, true],
      ['4', 0, false],
    ] as const) {
      clock.advance(1);
      made.push((await add({ ...DNS, source_ports: [port], priority, enabled })).body.data);
    }
    await shield.reconciler.idle();
    assert.deepEqual(await onEdge(), [made[1]!.id, made[2]!.id, made[0]!.id]);
    const newestFirst = (await rulesOf(api, target)).map(({ id }) => id);
    assert.deepEqual(newestFirst, made.map(({ id }) => id).reverse());
    await clear();
  });

  await t.test('at most fifty a target', async () => {
    for (let port = 1; port <= 50; port++) {
      assert.equal((await add({ ...DNS, source_ports: [`${port}`] })).status, 200);
    }
    const { status, body } = await add({ ...DNS, source_ports: ['51'] });
    assert.deepEqual([status, body.error.code], [409, 'quota_exceeded']);
    assert.deepEqual(body.error.details, { limit: 50, used: 50, resource: 'shield_rules_per_target' });
    const [listed] = await read<{ rules_count: number; rules_limit: number }[]>(
      api,
      `${target.tenant}/targets?limit=100`,
    ).then((all) => all.filter((one) => (one as never as { id: string }).id === target.id));
    assert.deepEqual([listed!.rules_count, listed!.rules_limit], [50, 50]);
    await db.query(sql`delete from shield_rules where target_id = ${target.id}`);
    await shield.reconciler.reconcile();
  });

  await t.test('one with an end is deleted automatically, and may be created again at once', async () => {
    const expires_at = new Date(clock.now().getTime() + 60 * SECOND).toISOString();
    const first = await add({ ...DNS, expires_at });
    assert.equal(first.body.data.expires_at, expires_at);
    await shield.reconciler.idle();
    clock.advance(59 * SECOND);
    await shield.reconciler.reconcile();
    assert.equal((await onEdge()).length, 1);
    clock.advance(SECOND);
    assert.deepEqual(await rulesOf(api, target), []);
    const again = await add(DNS);
    assert.equal(again.status, 200);
    await shield.reconciler.idle();
    await shield.reconciler.reconcile();
    assert.deepEqual(await onEdge(), [again.body.data.id]);
    await clear();
  });

  await t.test('IPv6 is the same, with its own names', async () => {
    const six = await shield.target({ family: 6 });
    assert.deepEqual(await refusedFields({ action: 'block', protocol: 'icmp' }, six.rules), [
      ['protocol', 'conflict'],
    ]);
    const { status, body } = await add({ ...DNS, source: '2001:DB8:0:0::/32' }, six.rules);
    assert.deepEqual([status, body.data.source], [200, '2001:db8::/32']);
  });

  await t.test("another account's tenant, target and rule are not there, byte for byte", async () => {
    const { id } = (await add(DNS)).body.data;
    const stranger = await api.strangersKey();
    const absent = await api.call('GET', '/v1/tenants/ten_none/summary');
    assert.equal(absent.status, 404);
    for (const path of ['summary', 'targets', 'traffic']) {
      assert.deepEqual(await api.call('GET', `${target.tenant}/${path}`, undefined, stranger), absent);
    }
    for (const path of [target.rules, target.events]) {
      assert.deepEqual(await api.call('GET', path, undefined, stranger), absent);
    }
    assert.deepEqual(await api.call('POST', target.rules, DNS, stranger), absent);
    assert.deepEqual(await api.call('DELETE', `${target.rules}/${id}`, undefined, stranger), absent);
    const other = await shield.target();
    const crossed = `/v1/tenants/${other.tenantId}/targets/${target.id}/rules`;
    assert.deepEqual(await api.call('GET', crossed), absent, 'of another tenant of the same account');
    assert.deepEqual(await api.call('DELETE', `${other.rules}/${id}`), absent);
    await clear();
  });
});
