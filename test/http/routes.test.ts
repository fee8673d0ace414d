import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RouteTable } from '../../server/http/routes.ts';

const ROUTES = [
  ['GET', '/v1/thing/{id}'],
  ['DELETE', '/v1/thing/{id}'],
  ['POST', '/v1/thing/{id}/start'],
  ['GET', '/v1/thing/price.list'],
  ['GET', '/v1/thing/keys'],
  ['DELETE', '/v1/thing/keys/{key}'],
  ['GET', '/v1/other/word'],
].map(([method, path]) => ({ method: method as 'GET', path: path! }));
const table = new RouteTable(ROUTES, '/panel/api');
const [, deletion, start] = ROUTES;
const allowed = (path: string) => table.refusal('PUT', `/panel/api${path}`).allow;

test('a word that other paths have in the place of an id is no id', () => {
  for (const word of ['price.list', 'keys']) {
    assert.ok(table.isMisrouted(deletion!, { id: word }), word);
    assert.ok(table.isMisrouted(start!, { id: word }), word);
    assert.equal(allowed(`/v1/thing/${word}`), 'GET, HEAD');
  }
  assert.equal(allowed('/v1/thing/keys/start'), 'DELETE');
  assert.equal(allowed('/v1/thing/price.list/start'), undefined);
});

test('words of other places are ids like any other', () => {
  for (const id of ['word', 'start', 'pricexlist', 'keyss', 'constructor']) {
    assert.equal(table.isMisrouted(deletion!, { id }), false, id);
    assert.equal(allowed(`/v1/thing/${id}`), 'DELETE, GET, HEAD');
  }
  assert.equal(table.isMisrouted(deletion!, { id: '' }), true);
  assert.equal(table.isMisrouted(deletion!, { id: 'a\0b' }), true);
});
