import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HostClient } from '../../../server/compute/qemu/host/client.ts';
import { aboutGuest, type HostParts, perform } from '../../../server/helpers/host/operations.ts';
import { serveHelper } from '../../../server/helpers/serve.ts';
import { systemClock as clock } from '../../../server/platform/clock.ts';
import { createLogger } from '../../../server/platform/logging.ts';
import { defer } from '../../support/cleanup.ts';
import { stayAlive } from '../qemu/support.ts';
import { guest, ID, policy, READING, recorder, spec, temporaryDirectory } from './support.ts';

interface Line {
  operation: string;
  guest?: string;
  error?: string;
}

async function serve(t: TestContext, parts: HostParts, path: string, maxMessageBytes?: number) {
  const log: Line[] = [];
  const output = { write: (line: string) => void log.push(JSON.parse(line)) };
  const logger = createLogger({ logLevel: 'info' }, output);
  const server = await serveHelper((operation, given) => perform(parts, operation, given), {
    path,
    clock,
    logger,
    maxMessageBytes,
    about: aboutGuest,
  });
  defer(t, () => server.close());
  return { server, log };
}

async function end(server: Server, client: HostClient): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await client.close();
  await closed;
}

test('the client does over the socket the same as the parts, one log line each', async (t) => {
  const { parts, calls } = recorder();
  const path = join(await temporaryDirectory(t), 'host.sock');
  const { log } = await serve(t, parts, path);
  assert.equal((await stat(path)).mode & 0o777, 0o660);
  const client = new HostClient(path);
  defer(t, () => client.close());
  assert.deepEqual(await client.probe(), { ok: true, summary: 'recorded' });
  const more = { ...guest(), hostname: 'of no concern' };
  assert.equal(await client.attach(more, policy()), 'tap,id=net0');
  await client.apply(guest(), policy());
  assert.deepEqual(await client.reassert([{ guest: more, policy: policy() }]), [ID]);
  const counters = await client.counters([ID]);
  assert.deepEqual(counters.get(ID), READING);
  assert.equal(await client.launch(spec()), 4711);
  await client.kill(spec());
  assert.equal(await client.altered(new AbortController().signal), true);
  await client.detach(ID);
  const process = { id: ID, uuid: spec().uuid, directory: spec().directory };
  assert.deepEqual(calls, [
    ['probe'],
    ['attach', guest(), policy()],
    ['apply', guest(), policy()],
    ['reassert', [{ guest: guest(), policy: policy() }]],
    ['counters', [ID]],
    ['launch', spec()],
    ['kill', process],
    ['altered'],
    ['detach', ID],
  ]);
  assert.deepEqual(
    log.map(({ operation }) => operation),
    calls.map(([name]) => name),
  );
  assert.equal(log.at(-1)?.guest, ID);
  const bad = client.attach({ ...guest(), mac: 'x; flush ruleset' }, policy());
  await assert.rejects(bad, { name: 'InvalidArgumentError', message: /^guest\.mac: / });
  assert.match(log.at(-1)!.error!, /^guest\.mac: /);
});

test('a restarted helper is found again; unanswered requests fail', async (t) => {
  const { parts } = recorder();
  const path = join(await temporaryDirectory(t), 'host.sock');
  const client = new HostClient(path);
  defer(t, () => client.close());
  await assert.rejects(client.reachable(), { name: 'ComputeUnavailableError' });
  await assert.rejects(client.detach(ID), { name: 'ComputeUnavailableError', message: /ENOENT/ });
  assert.deepEqual((await client.probe()).ok, false);
  let asked = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const kill = () => {
    asked();
    return new Promise<void>(() => {});
  };
  const silent = {
    ...parts,
    launcher: { ...parts.launcher, kill },
  };
  const { server } = await serve(t, silent, path);
  const killing = client.kill(spec());
  const failed = assert.rejects(killing, { name: 'ComputeUnavailableError' });
  await waiting;
  await end(server, client);
  await failed;
  await serve(t, parts, path);
  await client.reachable();
  assert.equal((await client.probe()).ok, true);
});

test('a request to a hanging helper times out, and its later replies are received', async (t) => {
  const { parts } = recorder();
  const path = join(await temporaryDirectory(t), 'host.sock');
  const hung = { ...parts, launcher: { ...parts.launcher, kill: () => new Promise<void>(() => {}) } };
  await serve(t, hung, path);
  const client = new HostClient(path, 1_000);
  defer(t, () => client.close());
  // Neither the timer of the limit nor a forgotten request keeps a process alive.
  defer(t, stayAlive());
  const late = { name: 'ComputeUnavailableError', message: /it did not answer kill in 1 s/ };
  await assert.rejects(client.kill(spec()), late);
  assert.equal((await client.probe()).ok, true);
});

test('a message without an end, or that is no JSON, ends the connection and nothing else', async (t) => {
  const { parts, calls } = recorder();
  const path = join(await temporaryDirectory(t), 'host.sock');
  await serve(t, parts, path, 1_000);
  for (const bytes of ['x'.repeat(1_001), `${'x'.repeat(2_000)}\n`, 'no json\n', '{"id":1,\n']) {
    const socket = connect(path);
    socket.on('error', () => {}).resume();
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
  }
  for (const odd of ['null', '7', '[]', '{"id":{},"operation":["exec"]}']) {
    const socket = connect(path);
    const reply = once(socket, 'data');
    socket.write(`${odd}\n`);
    assert.equal(JSON.parse(String((await reply)[0])).error?.name, 'InvalidArgumentError');
    socket.destroy();
  }
  assert.deepEqual(calls, []);
  const client = new HostClient(path);
  defer(t, () => client.close());
  assert.equal((await client.probe()).ok, true);
});
