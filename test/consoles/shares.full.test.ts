import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { openEnv } from './support/env.ts';
import { paceBy } from './support/pace.ts';
import { attempt, type ConsoleSocket, open } from './support/socket.ts';
import { waitFor } from './support/wait-for.ts';

const HOUR_MS = 3_600_000;
/** The service begins a picture of the whole screen with this. */
const RESET = '\x1bc';

test('share links', async (t) => {
  const env = await openEnv(t);
  const { clock, db, vm, ssh } = env;
  const path = `/v1/vm/${vm.id}/console-shares`;
  const list = () => env.ask('GET', path);
  const view = async (share: { url: string; protocols: string[] }) => {
    const viewer = await open(t, share.url, share);
    await viewer.until(({ messages, text }) => messages.length > 0 && text.includes('welcome'));
    return viewer;
  };
  const state = ({ messages }: ConsoleSocket) => messages.at(-1);

  await t.test('a link is listed without its secret, which is stored as a hash', async () => {
    const made = await env.ask('POST', path, { mode: 'read_only', label: 'for support' });
    const { url, ...shown } = made;
    const secret = url.split('#')[1];
    assert.equal(url, `${env.baseUrl}/share/${made.id}#${secret}`);
    assert.equal(Date.parse(made.expires_at) - Date.parse(made.created_at), HOUR_MS);
    assert.deepEqual(await list(), [{ ...shown, viewers: 0, last_used_at: null }]);
    const rows = await db.query<{ row: string }>(
      sql`select row_to_json(s)::text as row from console_shares s union all select row_to_json(e)::text from events e`,
    );
    for (const { row } of rows) assert.ok(!row.includes(secret));
    assert.deepEqual(await env.ask('DELETE', `${path}/${made.id}`), { id: made.id, deleted: true });
    assert.deepEqual(await list(), []);
    await env.ask('DELETE', `${path}/${made.id}`, undefined, { status: 404 });
  });

  await t.test('all viewers see one session, and a late one sees the screen so far', async () => {
    const share = await env.share();
    const before = ssh.logins;
    const first = await view(share);
    assert.deepEqual(state(first), { type: 'state', cols: 80, rows: 24, mode: 'read_write', viewers: 1 });
    first.type('one');
    await first.says('$ one');
    const second = await view(share);
    await second.says('$ one');
    assert.ok(second.text.startsWith(RESET));
    second.type('two');
    await first.says('$ onetwo');
    await second.says('two');
    second.resize(100, 30);
    await first.until((viewer) => state(viewer).cols === 100 && state(viewer).viewers === 2);
    first.type('top\r');
    await second.says('top 100x30');
    assert.equal(ssh.logins, before + 1);
    const [listed] = await list();
    assert.equal(listed.viewers, 2);
    assert.equal(listed.last_used_at, clock.now().toISOString());

    first.ws.close();
    await second.until((viewer) => state(viewer).viewers === 1);
    await waitFor(async () => (await list())[0].viewers === 1);
    second.ws.close();
    await second.closed;
    const back = await open(t, share.url, share);
    await back.says('top 100x30');
    assert.equal(ssh.logins, before + 1, 'a page that is loaded again finds its shell');
    back.ws.close();
    await waitFor(async () => (await list())[0].viewers === 0);
  });

  await t.test('a read-only viewer changes nothing', async () => {
    const share = await env.share({ mode: 'read_only' });
    const viewer = await view(share);
    assert.equal(state(viewer).mode, 'read_only');
    viewer.type('exit\r');
    viewer.resize(120, 50);
    viewer.ws.send(Buffer.alloc(200_000, 'x'), { binary: true });
    // Resolves after everything sent before it: by now it would have had its effect.
    await new Promise((resolve) => viewer.ws.once('pong', resolve).ping());
    const later = await view(share);
    assert.equal(state(later).cols, 80);
    assert.equal(later.text.replace(RESET, '').trimEnd(), 'welcome 80x24\r\n$');
    viewer.ws.close();
    later.ws.close();
  });

  await t.test('it has as many viewers as it may', async () => {
    const share = await env.share({ max_viewers: 1 });
    const viewer = await view(share);
    assert.equal((await (await open(t, share.url, share)).closed).code, 4007);
    viewer.ws.close();
    await viewer.closed;
    await waitFor(async () => (await list())[0].viewers === 0);
    (await view(share)).ws.close();
    await waitFor(async () => (await list())[0].viewers === 0);
    // The viewers of a dead node count for a minute.
    await db.query(sql`insert into console_viewers values ('vwr_dead', ${share.id}, ${clock.now()})`);
    assert.equal((await (await open(t, share.url, share)).closed).code, 4007);
    clock.advance(60_000);
    (await view(share)).ws.close();
  });

  await t.test('a wrong secret, and one of another link, open nothing', async () => {
    const [share, other] = [await env.share(), await env.share()];
    assert.equal(await attempt(t, share.url, { protocols: other.protocols }), 404);
    assert.equal(await attempt(t, share.url, { protocols: ['vauban.share'] }), 404);
    assert.equal(await attempt(t, share.url, { ...share, headers: { origin: 'https://evil.example' } }), 404);
  });

  await t.test('revocation, expiry, the end of its key, and power off cut it', async () => {
    const revoked = await env.share();
    const cut = await view(revoked);
    await env.ask('DELETE', `${path}/${revoked.id}`);
    assert.equal((await cut.closed).code, 4002);
    assert.equal(await attempt(t, revoked.url, revoked), 404);

    const short = await env.share({ ttl_seconds: 300 });
    const late = await view(short);
    clock.advance(300_000);
    assert.equal((await late.closed).code, 4002);
    assert.equal(await attempt(t, short.url, short), 404);

    const off = await env.share();
    const dark = await view(off);
    await env.become({ status: 'stopped' });
    assert.equal((await dark.closed).code, 4001);
    assert.equal((await (await open(t, off.url, off)).closed).code, 4001);
    await env.ask('POST', path, { mode: 'read_only' }, { status: 409 });
    await env.become({ status: 'running' });
    await view(off);
  });

  await t.test('a link allows no more than the key that created it', async () => {
    const { key, row } = await env.newKey();
    const made = await env.ask('POST', path, { mode: 'read_only' }, { key });
    const [page, secret] = made.url.split('#');
    const target = { url: `${page.replace('http', 'ws')}/socket`, protocols: ['vauban.share', secret] };
    const viewer = await view(target);
    await env.revokeKey(row.id);
    assert.equal((await viewer.closed).code, 4002);
    assert.equal(await attempt(t, target.url, target), 404);
    assert.ok((await list()).every(({ id }: { id: string }) => id !== made.id));
  });

  await t.test('a VM has at most twenty, and input has its limits', async () => {
    const room = 20 - (await list()).length;
    for (let n = 0; n < room; n++) await env.share();
    const error = await env.ask('POST', path, { mode: 'read_only' }, { status: 409 });
    assert.deepEqual(error.details, { limit: 20, used: 20, resource: 'console_shares_per_vm' });
    const bad = [
      { mode: 'x' },
      { ttl_seconds: 299 },
      { ttl_seconds: 86_401 },
      { max_viewers: 51 },
      { label: '' },
    ];
    for (const body of bad) await env.ask('POST', path, { mode: 'read_only', ...body }, { status: 422 });
    await env.ask('POST', path, {}, { status: 422 });
  });
});

test('a slow viewer gets the current screen, and slows no other down', async (t) => {
  const env = await openEnv(t);
  const share = await env.share();
  const [quick, slow] = [await open(t, share.url, share), await open(t, share.url, share)];
  await quick.says('welcome');
  await slow.says('welcome');
  slow.ws.pause();
  paceBy(quick.ws, env.clock);
  quick.type('pour 16000000\r');
  await quick.says('poured');
  slow.text = '';
  slow.ws.resume();
  await slow.says('poured');
  assert.ok(slow.text.includes(RESET));
  assert.ok(slow.text.length < 14_000_000, `${slow.text.length} bytes were kept for it`);
});
