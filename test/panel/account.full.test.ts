import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPersonByEmail } from '../../server/db/queries/access/people.ts';
import { DEMO_EMAIL } from '../../server/domain/accounts/demo-account.ts';
import {
  linkIn,
  mailsTo,
  newAccount,
  openPanel,
  signInAs,
  signInByLink,
  TestBrowser,
} from './support/panel.ts';

test('keys: created once with the scopes of the role, used, revoked at once, warned about', async (t) => {
  const panel = await openPanel(t);
  const { browser, email } = await signInAs(panel, 'owner');
  const { scopes, presets } = await browser.ok('GET', '/scopes');
  assert.equal(scopes.length, 12);
  assert.ok(presets.some(({ id }: { id: string }) => id === 'read_only'));
  const body = { label: ' ci ', scopes: ['vm:read'], allowed_ips: ['127.0.0.1'] };
  const expires_at = new Date(panel.clock.now().getTime() + 20 * 86_400_000).toISOString();
  const { key, secret } = await browser.ok('POST', '/keys', { body: { ...body, expires_at } });
  assert.deepEqual([key.label, key.allowed_ips, key.status], ['ci', ['127.0.0.1/32'], 'active']);
  const call = () => fetch(`${panel.baseUrl}/v1/vm`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal((await call()).status, 200);
  const [listed] = await browser.ok('GET', '/keys');
  assert.ok(!JSON.stringify(listed).includes(secret), 'shown once');
  const wrong = await browser.ask('POST', '/keys', { body: { ...body, allowed_ips: ['10.0.0.1/8'] } });
  assert.match(wrong.error?.message ?? '', /^allowed_ips\.0: /);
  // The owners are notified once, a week before the key expires.
  panel.clock.advance(14 * 86_400_000);
  const until = async () => (await mailsTo(panel, email)).filter(({ template }) => template === 'key_expiry');
  while ((await until()).length === 0) await new Promise((resolve) => setImmediate(resolve));
  const again = await signInByLink(panel, (await findPersonByEmail(panel.services.db, email))!.id);
  assert.equal((await until()).length, 1);
  await again.ok('DELETE', `/keys/${key.id}`);
  panel.clock.advance(1_000);
  assert.equal((await call()).status, 401);
  const actions = (await again.ok('GET', '/audit')).map(({ action }: { action: string }) => action);
  for (const action of ['key.created', 'key.revoked']) assert.ok(actions.includes(action), action);
});

test('members: invited by mail, with a role that revokes lost permissions', async (t) => {
  const panel = await openPanel(t);
  const { browser: owner, accountId } = await signInAs(panel, 'owner');
  const email = 'ben@example.com';
  await owner.ok('POST', '/members', { body: { email, role: 'viewer' } });
  panel.clock.advance(1);
  const second = await owner.ok('POST', '/members', { body: { email, role: 'operator' } });
  const [replaced, mail] = await mailsTo(panel, email);
  const signUp = { password: 'seven quiet otters', name: 'Ben' };
  const ben = new TestBrowser(panel);
  const stale = await ben.ask('POST', '/sign-up/complete', {
    body: { ...signUp, token: linkIn(replaced!) },
  });
  assert.equal(stale.error?.code, 'link_invalid', 'a later invitation takes its place');
  const show = (token: string) => ben.ask('POST', '/invitations/show', { body: { token } });
  assert.equal((await show(linkIn(replaced!))).error?.code, 'link_invalid');
  assert.equal((await show('x')).error?.code, 'link_invalid');
  const { person, account } = await owner.ok('GET', '/session');
  for (let twice = 0; twice < 2; twice++) {
    const { expires_at, ...shown } = (await show(linkIn(mail!))).data;
    const inviter = person.name || person.email;
    assert.deepEqual(shown, { account: account.name, role: 'operator', inviter, email });
    assert.ok(Date.parse(expires_at) > panel.clock.now().getTime());
  }
  await ben.ok('POST', '/sign-up/complete', { body: { ...signUp, token: linkIn(mail!) } });
  const his = await ben.ok('GET', '/session');
  assert.deepEqual([his.role, his.person.email], ['operator', email]);
  assert.equal((await show(linkIn(mail!))).error?.code, 'link_invalid', 'it is used up');
  assert.ok(second.id.startsWith('mtk_'));
  const members = await owner.ok('GET', '/members');
  const [me, him] = members as { id: string; status: string }[];
  assert.deepEqual([members.length, him!.status], [2, 'active']);
  const last = await owner.ask('PATCH', `/members/${me!.id}`, { body: { role: 'viewer' } });
  assert.equal(last.error?.code, 'invalid_state', 'an account keeps an owner');
  await owner.ok('PATCH', `/members/${him!.id}`, { body: { role: 'viewer' } });
  const sshKey = await ben.ask('POST', '/v1/vm/sshkeys', { body: {} });
  assert.equal(sshKey.error?.code, 'role_required');
  assert.equal((await ben.ask('DELETE', `/members/${me!.id}`)).error?.code, 'role_required');
  await ben.ok('DELETE', `/members/${him!.id}`);
  assert.equal((await ben.ok('GET', '/session')).account, null);
  assert.equal((await ben.ask('GET', '/v1/vm')).error?.code, 'role_required');

  // A signed-in person joins another account, and switches back.
  const there = await signInAs(panel, 'owner', await newAccount(panel, 'Other Ltd'));
  const mine = await owner.ok('GET', '/session');
  await there.browser.ok('POST', '/members', { body: { email: mine.person.email, role: 'viewer' } });
  const invited = await mailsTo(panel, mine.person.email);
  const token = linkIn(invited.at(-1)!);
  assert.equal(
    (await ben.ask('POST', '/invitations/accept', { body: { token } })).error?.code,
    'invalid_state',
  );
  await owner.ok('POST', '/invitations/accept', { body: { token } });
  assert.equal((await owner.ok('GET', '/session')).account.name, 'Other Ltd');
  const back = await owner.ok('POST', '/session/account', { body: { account_id: accountId } });
  assert.equal(back.role, 'owner');
  panel.clock.advance(1);
  const foreign = await newAccount(panel, 'Foreign');
  const refused = await owner.ask('POST', '/session/account', { body: { account_id: foreign } });
  assert.equal(refused.error?.code, 'validation_failed');
  const named = await owner.ask('POST', '/account/close', { body: { name: 'Other Ltd' } });
  assert.match(named.error?.message ?? '', /^name: /);
  await owner.ok('POST', '/account/close', { body: { name: 'Example Ltd' } });
  assert.equal((await owner.ok('GET', '/session')).account, null);
});

test('changes are streamed as they happen, and end with the session', async (t) => {
  const panel = await openPanel(t);
  const demo = await findPersonByEmail(panel.services.db, DEMO_EMAIL);
  const browser = await signInByLink(panel, demo!.id);
  const closing = await browser.ask('POST', '/account/close', { body: { name: 'demo' } });
  assert.deepEqual(closing.error?.details, {
    vm_count: 0,
    balance_minor: 10_000,
    claimed_minor: 0,
    currency: 'EUR',
  });
  const reply = await browser.fetch('GET', '/changes');
  assert.equal(reply.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const seen: string[] = [];
  const told = async (pattern: RegExp) => {
    while (!pattern.test(seen.join(''))) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the stream ended after ${seen.join('')}`);
      seen.push(new TextDecoder().decode(value));
    }
  };
  const reader = reply.body!.getReader();
  await told(/retry/);
  await browser.ok('POST', '/keys', { body: { label: 'a', scopes: ['vm:read'] } });
  await told(/\{"kind":"keys","id":null\}/);
  const order = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
  const { vm } = await browser.ok('POST', '/v1/vm', { body: order, idempotencyKey: 'one' });
  await told(new RegExp(`\\{"kind":"vm","id":"${vm.id}"\\}`));
  await told(/\{"kind":"wallet","id":null\}/);
  const events = await browser.ok('GET', `/v1/vm/${vm.id}/events`);
  const actors = events.map(
    ({ actor }: { actor: { type: string; id: string } }) => `${actor.type} ${actor.id}`,
  );
  assert.ok(actors.includes(`user ${demo!.id}`));
  await browser.ok('DELETE', '/session');
  while (!(await reader.read()).done);
});

test('an address changes when the new one is confirmed, and belongs to the first of two who confirm it', async (t) => {
  const panel = await openPanel(t);
  const [ada, ben] = [await signInAs(panel, 'owner'), await signInAs(panel, 'owner')];
  const email = 'new@example.com';
  for (const { browser } of [ada, ben]) {
    panel.clock.advance(1);
    await browser.ok('POST', '/person/email', { body: { email } });
  }
  const links = (await mailsTo(panel, email)).map(linkIn);
  assert.equal(links.length, 2);
  const stranger = new TestBrowser(panel);
  const open = (token: string) => stranger.ask('POST', '/verify-email', { body: { token } });
  const answers = await Promise.all(links.map(open));
  const outcomes = answers.map(({ status, error }) => error?.code ?? status);
  assert.deepEqual(outcomes.toSorted(), [200, 'link_invalid']);
  const sessions = await Promise.all([ada, ben].map(({ browser }) => browser.ok('GET', '/session')));
  const addresses = sessions.map(({ person }) => person.email);
  assert.equal(addresses.filter((one) => one === email).length, 1);
  const winner = addresses[0] === email ? ada : ben;
  const told = (await mailsTo(panel, winner.email)).map(({ template }) => template);
  assert.equal(told.length, 1, 'the old address learns of it');
});
