// Runs on the embedded engine only: what is tried here is decided by code that does not differ between the engines.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import { OPERATOR_SIGN_IN } from '../../server/endpoints/panel/operator-sign-in.ts';
import { openPanel, type Panel } from '../panel/support/panel.ts';
import { keys, LIMITS, operators, people, socket } from './support/credentials.ts';
import { type Ask, type Asked, asked, type Group, isLetIn, render } from './support/table.ts';

/**
 * Who may call which operation, found out by asking: every operation with every credential. After an intended change,
 * write the file again and have it reviewed: WRITE_ACCESS_MATRIX=1 npm run test:full -- access/matrix
 */
const FILE = join(import.meta.dirname, 'matrix.txt');

const LEGEND = `# Who may call which operation, as test/access/matrix.full.test.ts finds out by asking. After an intended change:
#   WRITE_ACCESS_MATRIX=1 npm run test:full -- access/matrix
#
# x  let in
# .  refused: no credential, or one that does not reach so far
# c  let in after confirming who one is
# 2  let in after setting up a second factor
# s  not while the account is suspended
# -  not there
#
# A key is let in with the named scope alone, and refused with all the others together. A person has no account; an
# operator's session is "linked" without a second factor and "enrolled" with one. What needs no column, because it must
# always be refused, is asked too: a cookie in place of a key, a key or a session of the other realm in place of a
# session, and a session used by another site's page.
`;
const ELSEWHERE = { origin: 'https://evil.example' };

const isPublic = ({ audience, operation }: Asked) =>
  audience === 'panel' &&
  PANEL_ENDPOINTS.some((one) => one.operation === operation && one.access === 'public');

/** Asks with a stale session and, if it must be confirmed first, with a fresh one, which must be let in. */
const confirming =
  (stale: Ask, fresh: Ask): Ask =>
  async (operation) => {
    const code = await stale(operation);
    if (code === 'confirmation_required')
      assert.ok(isLetIn(await fresh(operation)), `${operation.name}, confirmed`);
    return code;
  };

/** Asserts that a session is refused to another site, and that none of `useless` takes its place. */
async function requireSession(
  operation: Asked,
  { own, stranger, useless }: { own: Ask; stranger: Ask; useless: Record<string, string>[] },
): Promise<void> {
  assert.equal(await own(operation, ELSEWHERE), 'origin_not_allowed', operation.name);
  if (isPublic(operation)) return;
  for (const headers of useless)
    assert.equal(await stranger(operation, headers), 'session_required', JSON.stringify(headers));
}

/** Makes every credential; returns them by the door at which they are shown. */
async function openDoors(panel: Panel) {
  const [stale, staleOperator] = [await people(panel), await operators(panel)];
  // Past the time for which a sign-in counts as recent.
  panel.clock.advance(11 * 60_000);
  const [fresh, freshOperator] = [await people(panel), await operators(panel)];
  const key = await keys(panel);
  const bearer = { authorization: `Bearer ${key.all}` };

  const keyDoor: Group = {
    columns: {
      none: key.none,
      async scope(operation) {
        const { scope } = ENDPOINTS.find((one) => one.operation === operation.operation)!;
        assert.ok(isLetIn(await key.only(scope)(operation)), `${operation.name} with ${scope} alone`);
        assert.equal(await key.without(scope)(operation), 'scope_required', `${operation.name} without`);
        return scope;
      },
      suspended: key.suspended,
    },
    async also(operation) {
      for (const cookie of [stale.asCustomer, staleOperator.asOperator])
        assert.equal(await key.none(operation, { cookie, origin: panel.baseUrl }), 'api_key_missing');
    },
  };
  const names = ['none', 'person', 'viewer', 'operator', 'owner', 'suspended'] as const;
  const session: Group = {
    columns: Object.fromEntries(names.map((name) => [name, confirming(stale[name], fresh[name])])),
    also: (operation) =>
      requireSession(operation, {
        own: stale.owner,
        stranger: stale.none,
        useless: [bearer, { cookie: staleOperator.asCustomer }],
      }),
  };
  const { none, enrolled } = staleOperator;
  const { linked, enrolled: confirmed } = freshOperator;
  const operatorSession: Group = {
    columns: { none, linked, enrolled, confirmed },
    suits: ({ audience, operation }) =>
      audience === 'operator' || OPERATOR_SIGN_IN.some((one) => one.operation === operation),
    also: (operation) =>
      requireSession(operation, {
        own: enrolled,
        stranger: none,
        useless: [bearer, { cookie: stale.asOperator }],
      }),
  };
  return { keyDoor, session, operatorSession, socketDoor: { columns: { any: socket(panel) } } };
}

test('each operation is open to the credentials that the reviewed table names, and to no others', async (t) => {
  const panel = await openPanel(t, LIMITS);
  const { keyDoor, session, operatorSession, socketDoor } = await openDoors(panel);
  // A minute of the rate limits has room for many operations, but not for all.
  const tick = () => panel.clock.advance(1_000);
  const tables = [
    await render('CUSTOMER', ENDPOINTS.map(asked), { key: keyDoor, session }, tick),
    await render(
      'PANEL',
      PANEL_ENDPOINTS.map(asked),
      { session, "operator's session": operatorSession },
      tick,
    ),
    await render(
      'OPERATOR',
      OPERATOR_ENDPOINTS.map(asked),
      { "operator's session": operatorSession, socket: socketDoor },
      tick,
    ),
  ];
  const found = [LEGEND, ...tables].join('\n');
  if (process.env.WRITE_ACCESS_MATRIX) await writeFile(FILE, found);
  assert.equal(found, await readFile(FILE, 'utf8'));
});
