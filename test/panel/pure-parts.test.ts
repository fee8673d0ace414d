import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, latest, scaled, sparkRuns } from '../../panel/src/charts/series.ts';
import { canDo, thoseThatCan } from '../../panel/src/pages/machines/actions.ts';
import { EventReader } from '../../panel/src/pages/machines/agent/stream.ts';
import { EMPTY, follow, fromHistory } from '../../panel/src/pages/machines/agent/transcript.ts';
import { byText, matching } from '../../panel/src/pages/machines/list/filter.ts';
import { withMachine, withoutMachine } from '../../panel/src/pages/machines/list/pages.ts';
import { customMonthlyMinor, netMinor, netPrice, shortfall } from '../../panel/src/pages/machines/prices.ts';
import { timelineOf, windowAround } from '../../panel/src/pages/shield/timeline.ts';
import { atLocalhost, passkeyObstacle } from '../../panel/src/shell/passkeys-here.ts';
import { containedTax } from '../../server/domain/billing/money.ts';
import { customConfiguration } from '../../server/domain/billing/pricing.ts';

test('a gap of a series stays a gap, told as null or left out', () => {
  const series = {
    start_at: '',
    end_at: '',
    step_seconds: 10,
    series: {
      a: {
        unit: 'percent',
        points: [
          [10, 1],
          [20, null],
          [30, 3],
          [70, 7],
        ],
      },
      b: { unit: 'percent', points: [[20, 5]] },
    },
  };
  assert.deepEqual(columnsOf(series, ['a', 'b', 'missing']), [
    [10, 20, 30, 40, 70],
    [1, null, 3, null, 7],
    [null, 5, null, null, null],
    [null, null, null, null, null],
  ]);
  assert.equal(latest([1, 2, null]), 2);
  assert.equal(latest([1, null, null, null]), null);
  assert.deepEqual(sparkRuns([0, 10, null, 5], { width: 30, height: 10, top: 10 }), [
    '0.0,10.0 10.0,0.0',
    '30.0,5.0',
  ]);
  assert.deepEqual(scaled(2_100_000_000), { value: 2.1, prefix: 'G' });
  assert.deepEqual(scaled(1536, 1024), { value: 1.5, prefix: 'k' });
});

test('an attack is shown in order, and an ongoing one ends now', () => {
  const attack = {
    status: 'ongoing' as const,
    started_at: '2026-01-01T00:00:00.000Z',
    mitigated_at: '2026-01-01T00:00:04.000Z',
    ended_at: null,
    peak_bps: { value: 9, at: '2026-01-01T00:00:02.000Z' },
    peak_pps: { value: 0, at: '2026-01-01T00:00:00.000Z' },
  };
  const now = new Date('2026-01-01T00:00:08.000Z');
  assert.deepEqual(
    timelineOf(attack, now).map(({ kind, after, share }) => [kind, after, share]),
    [
      ['noticed', 0, 0],
      ['peak_bps', 2, 0.25],
      ['mitigated', 4, 0.5],
      ['now', 8, 1],
    ],
  );
  assert.deepEqual(windowAround(attack, now), { from: '2025-12-31T23:58:00.000Z', to: now.toISOString() });
});

test('a custom size costs the same as in the service', () => {
  const price_monthly = { vcpu: '2.20', ram_gb: '1.107', disk_gb: '0.045' };
  const components = [
    { component: 'vcpu' as const, price_monthly: price_monthly.vcpu },
    { component: 'ram' as const, price_monthly: price_monthly.ram_gb },
    { component: 'disk' as const, price_monthly: price_monthly.disk_gb },
  ];
  const limits = { min: 1, max: 1, step: 1 };
  const custom = { vcpu: limits, ram_mb: limits, disk_gb: limits, price_monthly };
  for (const currency of ['EUR', 'JPY'])
    for (const size of [
      { vcpu: 1, ram_mb: 1024, disk_gb: 20 },
      { vcpu: 3, ram_mb: 1537, disk_gb: 33 },
      { vcpu: 16, ram_mb: 65_535, disk_gb: 991 },
    ]) {
      const { price_monthly_minor } = customConfiguration(size, { custom, currency } as never);
      assert.equal(customMonthlyMinor(size, components, currency), Number(price_monthly_minor));
    }
  assert.equal(customMonthlyMinor({ vcpu: 1, ram_mb: 1, disk_gb: 1 }, [], 'EUR'), undefined);
  assert.equal(shortfall(500, 300), 200);
  assert.equal(shortfall(500, 501), 0);
});

test('a net price is the same as in the service', () => {
  for (const [minor, rate] of [
    [399, '0.19'],
    [1, '0.5'],
    [699, '0'],
    [10 ** 11, '0.08875'],
  ] as const)
    assert.equal(netMinor(minor, rate), minor - Number(containedTax(BigInt(minor), rate)));
  assert.equal(netPrice('0.0105', '0.19'), '0.008824');
  assert.equal(netPrice('0.0105', '0'), '0.010500');
});

test("the agent's stream is read in pieces of any size", () => {
  const event = (seq: number, type: string, fields: object) =>
    `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ type, seq, run_id: 'run', at: '', ...fields })}\n\n`;
  const text = [
    event(1, 'run.started', {}),
    ': ping\n\n',
    event(2, 'message.delta', { message_id: 'm', text: 'Looking ' }),
    event(3, 'message.delta', { message_id: 'm', text: 'around — ünïcode' }),
    event(4, 'command.proposed', { command_id: 'c', command: 'df -h', reason: 'room', risk: 'safe' }),
    event(5, 'approval.required', {
      approval_id: 'a',
      command_id: 'c',
      command: 'df -h',
      risk: 'safe',
      expires_at: 'x',
    }),
    event(6, 'run.completed', { stop_reason: 'awaiting_approval' }),
  ].join('');
  for (const size of [1, 7, text.length]) {
    const reader = new EventReader();
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    const end = pieces.flatMap((piece) => reader.read(piece)).reduce(follow, EMPTY);
    assert.equal(end.entries.length, 2);
    assert.deepEqual(end.entries[0], {
      kind: 'message',
      id: 'm',
      text: 'Looking around — ünïcode',
      complete: false,
    });
    const proposed = end.entries[1]!;
    assert.equal(proposed.kind === 'command' && proposed.state, 'awaiting');
    assert.equal(end.approval?.id, 'a');
    assert.equal(end.stopReason, 'awaiting_approval');
  }
  assert.deepEqual(new EventReader().read('data: {broken\n\n'), []);
  assert.equal(
    fromHistory([{ seq: 1, role: 'command', content: 'out', command: 'ls', exit_code: 2 }])[0]!.kind,
    'command',
  );
});

test('a command is followed from its proposal to its end', () => {
  const events = [
    { type: 'command.proposed', command_id: 'c', command: 'ls', reason: '', risk: 'safe' },
    { type: 'command.started', command_id: 'c' },
    { type: 'command.output', command_id: 'c', text: 'a\n', truncated: false },
    { type: 'command.output', command_id: 'c', text: 'b\n', truncated: true },
    { type: 'command.completed', command_id: 'c', exit_code: 0 },
  ].map((event, i) => ({ ...event, seq: i + 1, run_id: 'run', at: '' }));
  // A repeated event counts once.
  const [entry] = [...events, events[2]!].reduce(follow, EMPTY).entries;
  assert.ok(entry?.kind === 'command');
  assert.deepEqual([entry.state, entry.output, entry.truncated, entry.exitCode], ['done', 'a\nb\n', true, 0]);
});

test('buttons offer the actions that the state allows', () => {
  const machine = (status: string, kind?: string) => ({
    status,
    locked: kind !== undefined,
    active_job: kind ? { kind } : null,
  });
  assert.ok(canDo('start', machine('stopped')));
  assert.ok(!canDo('start', machine('stopped', 'snapshot_create')));
  assert.ok(canDo('force-stop', machine('stopping', 'stop')));
  assert.ok(!canDo('force-stop', machine('running', 'snapshot_create')));
  assert.equal(thoseThatCan('stop', [machine('running'), machine('stopped')]).length, 1);
});

test('ten thousand machines are filtered and sorted', () => {
  const machines = Array.from({ length: 10_000 }, (_, i) => ({
    id: `vm_${i}`,
    hostname: `web-${i}`,
    notes: i === 7 ? 'the mail relay' : null,
    status: i % 2 ? 'running' : 'stopped',
    plan: 's1',
    region: 'eu',
    ipv4: `10.0.${i >> 8}.${i & 255}`,
    ipv6: null,
    price_monthly_minor: i,
    created_at: '',
  }));
  const filter = { text: '', status: null, region: null };
  assert.equal(matching(machines, { ...filter, text: 'MAIL web' })[0]?.id, 'vm_7');
  assert.equal(matching(machines, { ...filter, status: 'running' }).length, 5_000);
  assert.equal(machines.toSorted((a, b) => byText(a.hostname, b.hostname))[10]?.hostname, 'web-10');
  assert.equal(machines.toSorted((a, b) => byText(b.ipv4, a.ipv4))[0]?.ipv4, '10.0.39.15');
});

test('a machine that changes is updated on its page, a new one comes first, a deleted one disappears', () => {
  const pages = [
    {
      items: [
        { id: 'c', name: 'c' },
        { id: 'b', name: 'b' },
      ],
      next: 'x',
    },
    { items: [{ id: 'a', name: 'a' }], next: null },
  ];
  const names = (all: typeof pages) => all.map(({ items }) => items.map(({ name }) => name).join(''));
  assert.deepEqual(names(withMachine(pages, { id: 'a', name: 'A' })), ['cb', 'A']);
  assert.deepEqual(names(withMachine(pages, { id: 'd', name: 'd' })), ['dcb', 'a']);
  assert.deepEqual(names(withoutMachine(pages, 'b')), ['c', 'a']);
  assert.equal(withoutMachine(pages, 'b')[1], pages[1]);
});

test('passkeys need a name, https and a browser that has them, and the panel knows which is missing', () => {
  const at = (hostname: string, isSecure = true, hasPasskeys = true) =>
    passkeyObstacle({ hostname, isSecure, hasPasskeys });
  for (const name of ['localhost', 'cloud.example', '1.cloud.example']) assert.equal(at(name), undefined);
  for (const address of ['127.0.0.1', '192.0.2.7', '[::1]', '[2001:db8::1]'])
    assert.equal(at(address), 'address');
  assert.equal(at('cloud.example', false), 'insecure');
  assert.equal(at('cloud.example', true, false), 'browser');
  assert.equal(
    atLocalhost('http://127.0.0.1:8080/panel/sign-in?next=/keys'),
    'http://localhost:8080/panel/sign-in?next=/keys',
  );
  assert.equal(atLocalhost('http://[::1]:8080/panel/'), 'http://localhost:8080/panel/');
  assert.equal(atLocalhost('http://192.0.2.7/panel/'), undefined);
});
