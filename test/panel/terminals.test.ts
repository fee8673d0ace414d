import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPersonByEmail } from '../../server/db/queries/access/people.ts';
import { DEMO_EMAIL } from '../../server/domain/accounts/demo-account.ts';
import { attempt, open } from '../consoles/support/socket.ts';
import { openPanel, signInAs, signInByLink } from './support/panel.ts';

test('a terminal ends with the session that opened it, a share link with the place of its maker', async (t) => {
  const panel = await openPanel(t);
  const demo = await findPersonByEmail(panel.services.db, DEMO_EMAIL);
  const owner = await signInByLink(panel, demo!.id);
  const { account } = await owner.ok('GET', '/session');
  const { browser: operator, personId } = await signInAs(panel, 'operator', account.id);
  const order = { plan: 's1', template: 'debian-12', hostname: 'web' };
  const { vm } = await operator.ok('POST', '/v1/vm', { body: order, idempotencyKey: 'one' });
  const path = `/v1/vm/${vm.id}`;
  while ((await operator.ok('GET', path)).active_job) panel.clock.advance(1_000);

  const share = await operator.ok('POST', `${path}/console-shares`, { body: { mode: 'read_only' } });
  const [page, secret] = share.url.split('#');
  const viewer = { url: `${page.replace('http', 'ws')}/socket`, protocols: ['vauban.share', secret] };
  const watching = await open(t, viewer.url, viewer);
  await watching.says('debian@web');
  const token = await operator.ok('POST', `${path}/ssh-token`, { body: {} });
  const terminal = await open(t, token.ws_url, { protocols: ['vauban.ssh', token.token] });
  await terminal.says('debian@web');
  const unused = await operator.ok('POST', `${path}/ssh-token`, { body: {} });

  await operator.ok('DELETE', '/session');
  assert.equal((await terminal.closed).code, 4002);
  assert.equal(await attempt(t, unused.ws_url, { protocols: ['vauban.ssh', unused.token] }), 404);
  const another = await open(t, viewer.url, viewer);
  await another.says('debian@web');

  const members = await owner.ok('GET', '/members');
  const { id } = members.find(({ person_id }: { person_id: string }) => person_id === personId);
  await owner.ok('DELETE', `/members/${id}`);
  assert.equal((await watching.closed).code, 4002);
  assert.equal((await another.closed).code, 4002);
  assert.deepEqual(await owner.ok('GET', `${path}/console-shares`), []);
});
