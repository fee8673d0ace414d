import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshDatabaseLocation } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { forAnotherNode, SHARED_SETTINGS, skipWithoutPostgres } from './support/another-node.ts';

test('three nodes may start on an empty database at once', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const location = await freshDatabaseLocation(t, { migrated: false });
  const locations = [location, await forAnotherNode(t, location), await forAnotherNode(t, location)];
  const nodes = await Promise.all(
    locations.map((location) => startService(t, { location, env: SHARED_SETTINGS })),
  );
  const demoKeys = nodes.flatMap(({ demoKey }) => demoKey ?? []);
  assert.equal(demoKeys.length, 1);
  for (const { baseUrl } of nodes) {
    const headers = { authorization: `Bearer ${demoKeys[0]}` };
    assert.equal((await fetch(`${baseUrl}/v1/vm`, { headers })).status, 200);
  }
});
