import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { isInstalled } from '../../../scripts/installed.ts';
import { ComputeUnavailableError } from '../../../server/compute/driver.ts';
import {
  type Identity,
  IncusClient,
  IncusError,
  UnansweredError,
} from '../../../server/compute/incus/client.ts';
import { findImage } from '../../../server/compute/incus/images.ts';
import { Members } from '../../../server/compute/incus/members.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';
import { identityOf } from './daemon.ts';

const skip = isInstalled('openssl') ? false : 'openssl is not installed';

/** Starts a member with these replies and returns its address. */
async function member(
  t: TestContext,
  { certificate: cert, key }: Identity,
  answer: (path: string) => object,
): Promise<string> {
  const server = createServer({ cert, key }, ({ url }, response) =>
    response.end(JSON.stringify(answer(url!))),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => server.close());
  defer(t, () => server.closeAllConnections());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const refusal = (error_code: number, error: string) => ({ type: 'error', error_code, error });

/** Returns the error of a request to a member that refuses with this code and message. */
async function errorOf(t: TestContext, code: number, message: string): Promise<unknown> {
  const identity = identityOf(t);
  const url = await member(t, identity, () => refusal(code, message));
  const client = new IncusClient(url, identity, systemClock);
  defer(t, () => client.close());
  return client.ask('GET', '/1.0/instances').catch((error) => error);
}

test('a cluster that does not trust the certificate counts as unreachable, and says so', {
  skip,
}, async (t) => {
  const error = await errorOf(t, 403, 'not authorized');
  assert.ok(error instanceof ComputeUnavailableError && !(error instanceof UnansweredError));
  assert.match(error.message, /trust/);
});

test('a member that is starting has not answered', { skip }, async (t) => {
  assert.ok((await errorOf(t, 503, 'Incus daemon setup in progress')) instanceof UnansweredError);
  assert.ok((await errorOf(t, 500, "Server isn't ready yet")) instanceof UnansweredError);
});

test('nor has a member that does not take part in the database', { skip }, async (t) => {
  const message = 'Failed to begin transaction: no available cowsql leader server found';
  assert.ok((await errorOf(t, 500, message)) instanceof UnansweredError);
});

test('any other refusal is one', { skip }, async (t) => {
  assert.ok((await errorOf(t, 404, 'Instance not found')) instanceof IncusError);
  const slow = 'Failed shutting down instance, status is "Running": context deadline exceeded';
  assert.ok((await errorOf(t, 400, slow)) instanceof IncusError);
});

test('a question goes to the next member while one is unanswered', { skip }, async (t) => {
  const identity = identityOf(t);
  const endpoints = [
    await member(t, identity, () => refusal(503, "Server isn't ready yet")),
    await member(t, identity, () => ({ type: 'sync', metadata: 'second' })),
  ];
  const members = new Members({ clock: systemClock, endpoints, identity });
  defer(t, () => members.close());
  assert.equal((await members.any('GET', '/1.0')).metadata, 'second');
});

test('an image hidden from untrusted callers is not absent', { skip }, async (t) => {
  const identity = identityOf(t);
  const url = await member(t, identity, (path) =>
    path.startsWith('/1.0/images') ? refusal(404, 'Image alias not found') : refusal(403, 'not authorized'),
  );
  const members = new Members({ clock: systemClock, endpoints: [url], identity });
  defer(t, () => members.close());
  await assert.rejects(findImage(members, 'default', 'tiny'), ComputeUnavailableError);
});
