import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshDatabaseLocation } from '../support/database.ts';
import { failingStart, UNAVAILABLE, WRONG_CONFIGURATION } from '../support/failing-start.ts';

const SETTINGS = { VAUBAN_COMPUTE: 'simulator', VAUBAN_SIMULATOR_BOOT_SECONDS: '0', VAUBAN_EDGE: 'nftables' };

test('FlowSpec needs a GoBGP of this host, and the networks that may be announced', async (t) => {
  const location = await freshDatabaseLocation(t);
  const settings = { ...SETTINGS, VAUBAN_EDGE: 'flowspec' };
  const unset = await failingStart(location, settings);
  assert.equal(unset.status, WRONG_CONFIGURATION, unset.stderr);
  assert.match(unset.stderr, /^VAUBAN_FLOWSPEC_GOBGP: [^\n]+\nVAUBAN_FLOWSPEC_PREFIXES: /);
  const away = await failingStart(location, {
    ...settings,
    VAUBAN_FLOWSPEC_GOBGP: 'unix:/nowhere/gobgp.sock',
    VAUBAN_FLOWSPEC_PREFIXES: '203.0.113.0/24',
  });
  assert.equal(away.status, UNAVAILABLE, away.stderr);
  assert.match(away.stderr, /^VAUBAN_FLOWSPEC_GOBGP: GoBGP: [^\n]+; start gobgpd/);
  const open = await failingStart(location, { ...settings, VAUBAN_FLOWSPEC_GOBGP: '192.0.2.1:50051' });
  assert.equal(open.status, WRONG_CONFIGURATION, open.stderr);
  assert.match(open.stderr, /VAUBAN_FLOWSPEC_GOBGP: must be unix: /);
});

test('an edge that is named and does not work is not replaced by another', async (t) => {
  const location = await freshDatabaseLocation(t);
  const unset = await failingStart(location, SETTINGS);
  assert.equal(unset.status, WRONG_CONFIGURATION, unset.stderr);
  assert.match(
    unset.stderr,
    /^VAUBAN_EDGE_DEVICES: nftables needs VAUBAN_EDGE_HELPER, [^\n]+\nVAUBAN_EDGE_PREFIXES: /,
  );
  const away = await failingStart(location, {
    ...SETTINGS,
    VAUBAN_EDGE_HELPER: join('/nowhere', 'edge.sock'),
  });
  assert.equal(away.status, UNAVAILABLE, away.stderr);
  assert.match(
    away.stderr,
    /^VAUBAN_EDGE_HELPER: the edge helper cannot be reached: [^\n]+; start vauban-edge/,
  );
  const direct = { VAUBAN_EDGE_DEVICES: 'none0', VAUBAN_EDGE_PREFIXES: '203.0.113.0/24' };
  const strange = await failingStart(location, { ...SETTINGS, ...direct });
  assert.equal(strange.status, WRONG_CONFIGURATION, strange.stderr);
  assert.match(strange.stderr, /^VAUBAN_EDGE: nftables does not work here: /);
});
