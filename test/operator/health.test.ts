import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { sql } from '../../server/db/database.ts';
import { registerHealth } from '../../server/http/operator/health.ts';
import { Readiness } from '../../server/http/operator/readiness.ts';
import { createMonitoringServer } from '../../server/http/operator/server.ts';
import { VERSION } from '../../server/platform/version.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { operatorServices, startOperator } from './support.ts';

test('the service is ready between its start and its stop, and up all the time', async (t) => {
  const { get, readiness } = await startOperator(t);
  for (const [phase, status, code] of [
    ['starting', 'starting', 503],
    ['running', 'ready', 200],
    ['stopping', 'stopping', 503],
  ] as const) {
    readiness.enter(phase);
    const reply = await get('/readyz');
    assert.equal(reply.status, code);
    assert.deepEqual(reply.json(), { status, failing: [] });
    assert.deepEqual((await get('/healthz')).json(), { status: 'ok' });
  }
});

test('a database that does not answer makes the service unready', async (t) => {
  const { get, readiness, clock, db } = await startOperator(t);
  readiness.enter('running');
  assert.equal((await get('/readyz')).status, 200);
  await db.close();
  clock.advance(1_000);
  const reply = await get('/readyz');
  assert.equal(reply.status, 503);
  assert.ok(reply.json().failing.includes('database'), reply.text);
});

test('a database without migrations of this release makes the service unready', async (t) => {
  const { get, readiness, clock, db } = await startOperator(t);
  readiness.enter('running');
  assert.equal((await get('/readyz')).status, 200);
  // A migration that this release does not know belongs to the next one, whose nodes run alongside.
  await db.query(sql`update migrations set name = '9999-next' where name = '0044-move-windows'`);
  clock.advance(30_000);
  const reply = await get('/readyz?verbose');
  assert.equal(reply.status, 503);
  assert.deepEqual(reply.json().failing, ['migrations']);
  assert.equal(reply.json().parts.migrations, 'failing');
  await db.query(sql`insert into migrations values ('0044-move-windows', now())`);
  clock.advance(1_000);
  assert.deepEqual((await get('/readyz')).json(), { status: 'ready', failing: [] });
});

test('a compute engine that does not work takes no node out, and is shown', async (t) => {
  const services = operatorServices(await freshDatabase(t));
  let works = false;
  let probes = 0;
  const compute = Object.create(services.compute, {
    probe: { value: async () => ({ ok: works, summary: `probe ${++probes}` }) },
  });
  const readiness = new Readiness({ ...services, compute });
  readiness.enter('running');
  assert.deepEqual(await readiness.report(), { status: 'ready', failing: [] });
  assert.equal(probes, 0, 'it is not even asked');
  const shown = async () => {
    const { parts, ...report } = await readiness.detailedReport();
    assert.deepEqual(report, { status: 'ready', failing: [], version: VERSION });
    return parts.compute;
  };
  assert.equal(await shown(), 'failing');
  works = true;
  assert.equal(await shown(), 'failing');
  assert.equal(probes, 1, 'an answer is believed for a while');
  services.clock.advance(1_000);
  assert.equal(await shown(), 'ok');
});

test('a gateway that may forward forbidden ports makes its node unready', async (t) => {
  const services = operatorServices(await freshDatabase(t));
  const readiness = new Readiness({ ...services, forwards: { isHere: true, isBehind: true } });
  readiness.enter('running');
  assert.deepEqual(await readiness.report(), { status: 'failing', failing: ['gateway'] });
});

test('the operator sees the version and the state of each part, also while the service starts', async (t) => {
  const { get, readiness, db, clock } = await startOperator(t);
  const fine = { database: 'ok', migrations: 'ok', gateway: 'off', compute: 'ok' };
  for (const [process, status, code] of [
    ['starting', 'starting', 503],
    ['running', 'ready', 200],
    ['stopping', 'stopping', 503],
  ] as const) {
    readiness.enter(process);
    const reply = await get('/readyz?verbose');
    assert.equal(reply.status, code);
    assert.equal(reply.headers['cache-control'], 'no-store');
    assert.deepEqual(reply.json(), { status, failing: [], version: VERSION, parts: { process, ...fine } });
  }
  readiness.enter('running');
  await db.close();
  clock.advance(30_000);
  const { failing, parts } = (await get('/readyz?verbose=1')).json();
  assert.deepEqual(failing, ['database']);
  assert.deepEqual([parts.database, parts.migrations], ['failing', 'unknown']);
});

test('many concurrent health checks cost one query, and a hanging one is a failure after its timeout', async (t) => {
  const services = operatorServices(await freshDatabase(t));
  const answer = Promise.withResolvers<{ ok: boolean; summary: string }>();
  let probes = 0;
  const probe = () => {
    probes++;
    return answer.promise;
  };
  const readiness = new Readiness({
    ...services,
    compute: Object.create(services.compute, { probe: { value: probe } }),
  });
  readiness.enter('running');
  const asked = [readiness.detailedReport(), readiness.detailedReport(), readiness.detailedReport()];
  while (services.clock.sleeping < 3) await new Promise(setImmediate);
  services.clock.advance(2_000);
  for (const { parts } of await Promise.all(asked)) assert.equal(parts.compute, 'failing');
  const later = readiness.detailedReport();
  answer.resolve({ ok: true, summary: 'at last' });
  assert.equal((await later).parts.compute, 'ok');
  assert.equal(probes, 1);
});

test('the metrics are in the text format of Prometheus', async (t) => {
  const { get, metrics } = await startOperator(t);
  metrics.jobFinished('create', 'succeeded');
  const reply = await get('/metrics');
  assert.equal(reply.status, 200);
  assert.match(String(reply.headers['content-type']), /^text\/plain; version=0\.0\.4/);
  assert.match(reply.text, /^vauban_jobs_total\{kind="create",outcome="succeeded"\} 1$/m);
});

test('a network can reach health and metrics and nothing else', async (t) => {
  const services = operatorServices(await freshDatabase(t));
  const readiness = new Readiness(services);
  readiness.enter('running');
  const app = createMonitoringServer(services, readiness);
  defer(t, () => app.close());
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  for (const path of ['/healthz', '/readyz', '/metrics'])
    assert.equal((await fetch(base + path)).status, 200);
  const details = (await (await fetch(`${base}/readyz?verbose`)).json()) as { version: string };
  assert.equal(details.version, VERSION);
  for (const path of ['/accounts', '/scopes', '/']) assert.equal((await fetch(base + path)).status, 404);
  const created = await fetch(`${base}/accounts`, { method: 'POST', body: '{}' });
  assert.equal(created.status, 404);
});

test('the health routes are marked as open to callers without a key, and not counted', async (t) => {
  const services = operatorServices(await freshDatabase(t));
  const app = Fastify();
  const routes: unknown[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    if (method === 'GET') routes.push([url, config]);
  });
  registerHealth(app, new Readiness(services), () => true);
  assert.deepEqual(routes, [
    ['/healthz', { open: true, unlimited: true }],
    ['/readyz', { open: true, unlimited: true }],
  ]);
});
