import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { loadConfig } from '../../server/config/config.ts';
import { SimulatorTargets } from '../../server/db/queries/hosts/simulator-edge.ts';
import type { TrafficSource } from '../../server/edge/driver.ts';
import { FlowWatchedEdge } from '../../server/edge/flows/watched-edge.ts';
import { selectEdge } from '../../server/edge/select.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { ConfigError } from '../../server/platform/config-error.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { EdgeNetwork, whyNot } from './support/network.ts';
import { makePipe } from './support/pipe.ts';

const TARGET = { id: 'tgt_1', ip: '203.0.113.9', family: 4, rules: [] } as const;
const FLOW = { event_type: 'purge', ip_dst: TARGET.ip, ip_proto: 'udp', packets: 6_000, bytes: 600_000 };
/** Marks the end of the collector's counts so far. */
const CLOSE = { event_type: 'purge_close' };

/** Returns the edge that a service with these settings would use. */
async function select(t: TestContext, env: Record<string, string>) {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const edge = await selectEdge(loadConfig(env), {
    clock,
    logger: createLogger({ logLevel: 'silent' }),
    simulatorStore: new SimulatorTargets(db),
    countProtected: async () => 0,
  });
  defer(t, () => edge.close());
  return { edge, clock };
}

/** Waits for something that the kernel has yet to deliver. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(setImmediate);
}

async function packets(source: TrafficSource): Promise<number> {
  return (await source.readTotals()).rows[0]!.in.packets;
}

test('with a pipe of flows the chosen edge does its work, and attacks are noticed by the flows', async (t) => {
  const pipe = makePipe(t);
  const settings = { VAUBAN_EDGE: 'simulator', VAUBAN_FLOWS_PIPE: pipe, VAUBAN_FLOWS_SECONDS: '60' };
  const { edge, clock } = await select(t, settings);
  assert.ok(edge instanceof FlowWatchedEdge);
  const [{ ok, summary }, name] = [await edge.probe(), edge.name];
  assert.deepEqual([name, ok], ['simulator', true]);
  assert.match(summary, /; attacks are detected from flows$/);
  await edge.putTarget({ ...TARGET, rules: [] });
  assert.deepEqual(
    (await edge.readTotals()).rows.map(({ id }) => id),
    ['tgt_1'],
    'the edge has it, too',
  );

  clock.advance(1_000);
  appendFileSync(pipe, `${JSON.stringify(FLOW)}\n${JSON.stringify(CLOSE)}\n`);
  await until(async () => (await packets(edge.seen)) > 0);
  assert.equal(await packets(edge.seen), 100, 'what an exporter tells of a minute is a sixtieth a second');
});

test('without a pipe the edge counts packets itself', async (t) => {
  const { edge } = await select(t, { VAUBAN_EDGE: 'simulator' });
  assert.equal(edge.seen, undefined);
});

test('without an edge nothing is watched, and no pipe is opened', async (t) => {
  const { edge } = await select(t, { VAUBAN_EDGE: 'off', VAUBAN_FLOWS_PIPE: '/nowhere/pipe' });
  assert.deepEqual([edge.name, edge.seen], ['off', undefined]);
});

test('an untrusted or unreadable pipe is refused by the name of its setting', async (t) => {
  for (const [pipe, why] of [
    ['/nowhere/pipe', /^VAUBAN_FLOWS_PIPE: .*no such file/],
    [import.meta.filename, /^VAUBAN_FLOWS_PIPE: .* is not a named pipe$/],
    [makePipe(t, 0o666), /^VAUBAN_FLOWS_PIPE: .* is writable by users/],
  ] as const)
    await assert.rejects(select(t, { VAUBAN_EDGE: 'simulator', VAUBAN_FLOWS_PIPE: pipe }), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, why);
      return true;
    });
});

test('an edge whose flows cannot be read is closed again', { skip: whyNot() }, async (t) => {
  const network = await EdgeNetwork.open(t);
  const settings = { VAUBAN_EDGE: 'nftables', VAUBAN_EDGE_HELPER: network.socket };
  /** Counts the services' connections to the helper. */
  const connections = async () => {
    const sockets = await readFile('/proc/net/unix', 'utf8');
    return sockets.split('\n').filter((line) => line.endsWith(network.socket) && / 03 +\d+ /.test(line))
      .length;
  };
  const { edge } = await select(t, { ...settings, VAUBAN_FLOWS_PIPE: makePipe(t) });
  assert.deepEqual([edge.name, await connections()], ['nftables', 1]);
  await edge.close();
  await until(async () => (await connections()) === 0);
  await assert.rejects(select(t, { ...settings, VAUBAN_FLOWS_PIPE: '/nowhere/pipe' }), /VAUBAN_FLOWS_PIPE/);
  await until(async () => (await connections()) === 0);
});
