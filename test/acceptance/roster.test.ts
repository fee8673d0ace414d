import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from './support/document.ts';
import { SCOPES, SPECIFICATION, TO_COME } from './support/roster.ts';

const DESCRIBED = OPERATIONS.map(({ method, path }) => `${method} ${path}`);

test('the specification has 62 endpoints and 12 scopes', () => {
  assert.equal(new Set(SPECIFICATION.map(({ name }) => name)).size, 62);
  assert.equal(SCOPES.length, 12);
});

test('every endpoint of the specification is described or known to be missing, and there are no others', () => {
  assert.deepEqual([...DESCRIBED, ...TO_COME].sort(), SPECIFICATION.map(({ name }) => name).sort());
});

test('every operation has the scope and the idempotency of the specification', () => {
  const described = OPERATIONS.map(({ method, path, scope, idempotent }) => ({
    name: `${method} ${path}`,
    scope,
    idempotent,
  }));
  const specified = SPECIFICATION.filter(({ name }) => DESCRIBED.includes(name));
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
  assert.deepEqual(described.sort(byName), specified.sort(byName));
});
