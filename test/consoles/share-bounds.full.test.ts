import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { HIGH_WATER_BYTES } from '../../server/consoles/limits.ts';
import { Openings } from '../../server/consoles/openings.ts';
import { ConsoleSession } from '../../server/consoles/session.ts';
import { ShareRoom } from '../../server/consoles/share-room.ts';
import { Screens } from '../../server/consoles/shared-screens/screens.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { defer } from '../support/cleanup.ts';
import { type ConsoleEnv, openEnv } from './support/env.ts';
import { paceBy } from './support/pace.ts';
import { attempt, type ConsoleSocket, open } from './support/socket.ts';
import { waitFor } from './support/wait-for.ts';

const logger = createLogger({ logLevel: 'silent' });
/** The size limit of a picture, which fits into a viewer's buffer. */
const MAX_PICTURE = HIGH_WATER_BYTES;

const state = ({ messages }: ConsoleSocket) => messages.at(-1);

/** Resolves when everything sent before has been read. */
const read = ({ ws }: ConsoleSocket) => new Promise((resolve) => ws.once('pong', resolve).ping());

async function counted(env: ConsoleEnv, name: string): Promise<number> {
  const lines = (await env.metrics()).split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Returns a growing number once it has stopped growing. */
async function settled(read: () => Promise<number>): Promise<number> {
  let last = -1;
  for (let now = await read(); now !== last; now = await read()) {
    last = now;
    for (let turn = 0; turn < 2_000; turn++) await new Promise(setImmediate);
  }
  return last;
}

test("strangers' requests to a shared shell are bounded", async (t) => {
  const env = await openEnv(t);
  const { clock, ssh } = env;
  const view = async (share: { url: string; protocols: string[] }) => {
    const viewer = await open(t, share.url, share);
    await viewer.until(({ messages, text }) => messages.length > 0 && text.includes('welcome'));
    return viewer;
  };

  await t.test('sizes: one at once and then four a second, of all that are asked for the last', async () => {
    const viewer = await view(await env.share());
    const before = await counted(env, 'vauban_share_resizes_total');
    for (let n = 0; n < 150; n++) viewer.resize(n % 2 ? 500 : 1, n % 2 ? 500 : 1);
    viewer.resize(101, 31);
    await read(viewer);
    assert.equal((await counted(env, 'vauban_share_resizes_total')) - before, 1);
    assert.deepEqual([state(viewer).cols, state(viewer).rows], [20, 5], 'a screen has a least size');
    clock.advance(250);
    await viewer.until((one) => state(one).cols === 101 && state(one).rows === 31);
    clock.advance(250);
    viewer.resize(500, 500);
    await viewer.until((one) => state(one).cols === 300 && state(one).rows === 100);
    assert.equal((await counted(env, 'vauban_share_resizes_total')) - before, 3);
    viewer.ws.close();
  });

  await t.test('sizes of a terminal of one’s own likewise', async () => {
    const token = await env.terminal();
    const terminal = await open(t, token.url, token);
    await terminal.says('welcome');
    terminal.type('top\r');
    await terminal.says('top 80x24');
    const before = ssh.resizes;
    for (let n = 0; n < 400; n++) terminal.resize(n % 2 ? 500 : 1, 24);
    terminal.resize(90, 30);
    await terminal.says('top 1x24');
    await read(terminal);
    clock.advance(250);
    await terminal.says('top 90x30');
    assert.equal(ssh.resizes - before, 2);
    terminal.ws.send(JSON.stringify({ type: 'resize', cols: 80, rows: 24, padding: 'x'.repeat(1_000) }));
    assert.equal((await terminal.closed).code, 1003, 'a size is said in few words');
  });

  await t.test('pictures: one for all who join at the same screen', async () => {
    const share = await env.share({ max_viewers: 50 });
    const first = await view(share);
    first.type('paint 2000\r');
    await first.says('painted');
    const join = async (viewers: number) => {
      const before = await counted(env, 'vauban_share_pictures_total');
      const joined = await Promise.all(Array.from({ length: viewers }, () => open(t, share.url, share)));
      // The viewers are admitted one after the other, no faster than the database replies.
      await waitFor(async () => {
        await env.ask('GET', `/v1/vm/${env.vm.id}/console-shares`);
        clock.advance(100);
        return joined.every(({ text }) => text.includes('painted'));
      });
      return (await counted(env, 'vauban_share_pictures_total')) - before;
    };
    assert.equal(await join(15), 1);
    assert.equal(await join(15), 0, 'nothing has changed');
    await env.ask('DELETE', `/v1/vm/${env.vm.id}/console-shares/${share.id}`);
  });

  await t.test('bytes of a picture, however the screen is painted', async () => {
    for (const [cols, rows] of [
      [300, 100],
      [80, 24],
    ] as const) {
      const share = await env.share();
      const first = await view(share);
      paceBy(first.ws, clock);
      first.resize(cols, rows);
      await first.until((one) => state(one).cols === cols);
      first.type('paint 60000\r');
      await first.says('painted');
      const late = await open(t, share.url, share);
      await late.says('painted');
      assert.ok(late.text.length <= MAX_PICTURE, `${late.text.length} bytes`);
      assert.ok(late.text.length > 10_000, 'the screen is there');
      clock.advance(250);
      await env.ask('DELETE', `/v1/vm/${env.vm.id}/console-shares/${share.id}`);
    }
  });

  await t.test('small messages: 200 a second are read of a viewer, the others wait', async () => {
    const viewer = await view(await env.share());
    const before = await counted(env, 'vauban_console_bytes_total{kind="share",direction="in"}');
    // Few enough to be encrypted individually for the guest, and in total several times what a socket reads at once.
    const message = 'x'.repeat(32);
    const sent = 12_000;
    const received = async () => {
      const bytes = await counted(env, 'vauban_console_bytes_total{kind="share",direction="in"}');
      return (bytes - before) / message.length;
    };
    for (let n = 0; n < sent; n++) viewer.type(message);
    // Data that was already read from the socket, 64 or 128 KiB, is still accepted, if not immediately.
    await waitFor(async () => (await received()) >= 200);
    const first = await settled(received);
    assert.ok(first < sent / 2, `${first} were read`);
    await waitFor(async () => {
      clock.advance(10_000);
      return (await settled(received)) === sent;
    });
    viewer.ws.close();
  });

  await t.test('pings likewise, and none is answered unread', async () => {
    const viewer = await view(await env.share());
    let pongs = 0;
    viewer.ws.on('pong', () => pongs++);
    const sent = 60_000;
    for (let n = 0; n < sent; n++) viewer.ws.ping();
    await waitFor(() => pongs >= 200);
    const first = await settled(async () => pongs);
    assert.ok(first < sent / 2, `${first} were answered`);
    viewer.ws.close();
  });

  await t.test('openings from a network', async () => {
    clock.advance(60_000);
    const share = await env.share();
    const look = () =>
      fetch(`${share.page.split('#')[0]}/about`, {
        headers: { authorization: `Bearer ${share.protocols[1]}` },
      });
    for (let n = 0; n < 60; n++) assert.equal((await look()).status, 200);
    const refused = await look();
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    for (let n = 0; n < 60; n++) (await open(t, share.url, share)).ws.close();
    assert.equal(await attempt(t, share.url, share), 429);
    clock.advance(60_000);
    (await view(share)).ws.close();
  });
});

test('openings are counted by link and by network', () => {
  const clock = new ManualClock();
  const openings = new Openings(clock);
  const take = (link: string, network: string, times: number) =>
    Array.from({ length: times }, () => openings.take(link, network)).filter(({ allowed }) => allowed).length;
  assert.equal(take('shr_a', '192.0.2.1', 500), 60, 'a network');
  assert.equal(take('shr_a', '192.0.2.2', 40), 40, 'a refused network has not used up the link');
  assert.equal(take('shr_a', '192.0.2.3', 500), 20, 'a link');
  assert.equal(take('shr_b', '192.0.2.4', 10), 10);
  clock.advance(60_000);
  assert.equal(take('shr_a', '192.0.2.1', 1), 1);
});

/** Opens a separate room whose sessions the test can inspect. */
async function openRoom(t: TestContext, env: ConsoleEnv, screens: Screens) {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => server.close().closeAllConnections());
  const { services } = env.service;
  const room = new ShareRoom(services, env.vm, screens);
  defer(t, () => room.end('shutdown'));
  const join = async () => {
    const accepted = once(sockets, 'connection');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    defer(t, () => client.terminate());
    const [ws] = (await accepted) as [WebSocket];
    await once(client, 'open');
    const { vm, accountId } = env;
    const grant = { kind: 'share', vm, accountId, rightId: 'key', share: null } as const;
    const session = new ConsoleSession(grant, ws, services);
    room.join(session, 'read_write');
    return { session, client };
  };
  return { room, join };
}

function newScreens(t: TestContext, options: { heapMb?: number; answerMs?: number } = {}): Screens {
  const screens = new Screens({ logger, ...options });
  defer(t, () => screens.close());
  return screens;
}

test('a viewer that does not read is kept no more for than its buffer holds, and is dropped', async (t) => {
  const env = await openEnv(t);
  const { room, join } = await openRoom(t, env, newScreens(t));
  const [reader, deaf] = [await join(), await join()];
  let said = '';
  reader.client.on('message', (data: Buffer, isBinary) => {
    if (isBinary) said = (said + data.toString('latin1')).slice(-100);
  });
  deaf.client.pause();
  paceBy(reader.client, env.clock);
  let most = 0;
  const look = () => {
    if (most === 0 && deaf.session.ws.bufferedAmount > 0) {
      room.check();
      assert.equal(deaf.session.reason, undefined, 'it may catch up');
    }
    most = Math.max(most, deaf.session.ws.bufferedAmount, reader.session.ws.bufferedAmount);
  };
  const say = async (command: string, answer: string) => {
    said = '';
    reader.client.send(Buffer.from(`${command}\r`), { binary: true });
    await waitFor(() => {
      look();
      return said.includes(answer);
    });
  };
  await waitFor(() => said.includes('welcome'));
  reader.client.send(JSON.stringify({ type: 'resize', cols: 300, rows: 100 }));
  // The kernel buffers some megabytes for the client that does not read before its own buffer fills; pictures are sent
  // in between.
  for (let round = 0; round < 3; round++) {
    await say('pour 8000000', 'poured');
    await say('paint 60000', 'painted');
  }
  assert.ok(most > 0, 'it was behind');
  assert.ok(most <= HIGH_WATER_BYTES, `${most} bytes were kept for it`);
  env.clock.advance(30_000);
  room.check();
  assert.equal(deaf.session.reason, 'unresponsive');
  await deaf.session.closed;
  assert.equal(reader.session.reason, undefined);
});

test('the thread of the screens', async (t) => {
  const env = await openEnv(t);
  const size = { cols: 80, rows: 24 };
  const kept = (screens: Screens) => {
    const lost = Promise.withResolvers<void>();
    const picture = Promise.withResolvers<Buffer>();
    const screen = screens.open(size, { written() {}, picture: picture.resolve, lost: lost.resolve });
    return { screen, picture: picture.promise, lost: lost.promise };
  };
  const works = async (screens: Screens) => {
    const { screen, picture } = kept(screens);
    screen.write(Buffer.from('hello'));
    screen.draw();
    assert.match((await picture).toString(), /hello/);
    screen.close();
  };

  await t.test(
    'runs out of memory: its rooms end with a code, the service and new rooms continue',
    async (t) => {
      const screens = newScreens(t, { heapMb: 48 });
      const { room, join } = await openRoom(t, env, screens);
      const { session, client } = await join();
      const closed = once(client, 'close');
      const greedy = Array.from({ length: 40 }, () => kept(screens));
      // An unterminated title is kept until it ends or becomes too long.
      for (const { screen } of greedy) {
        screen.write(Buffer.from('\x1b]0;'));
        for (let n = 0; n < 9; n++) screen.write(Buffer.alloc(1_000_000, 'x'));
      }
      await Promise.all(greedy.map(({ lost }) => lost));
      assert.equal((await closed)[0], 4009);
      assert.equal(session.reason, 'screen_lost');
      assert.ok(room.isOver);
      await works(screens);
    },
  );

  await t.test('has hung: it is ended, and the next one works', async (t) => {
    const screens = newScreens(t, { answerMs: 0 });
    const { lost } = kept(screens);
    const checks = [screens.check(), screens.check()];
    await lost;
    await Promise.all(checks);
    await works(screens);
  });

  await t.test('keeps no more of a cell, or of a link, than a script needs', async (t) => {
    const screens = newScreens(t);
    const { screen, picture } = kept(screens);
    screen.write(Buffer.from(`e${'\u0301'.repeat(100_000)}`));
    for (let n = 0; n < 1_000; n++) screen.write(Buffer.from('\u0301'.repeat(5)));
    screen.write(
      Buffer.from(`\r\n\x1b]8;;https://${'x'.repeat(100_000)}\x07link\x1b]8;;\x07 a\u0308o\u0308`),
    );
    screen.draw();
    const drawn = (await picture).toString();
    assert.ok(drawn.length < 200, `${drawn.length} characters`);
    assert.match(drawn, /e(?:\u0301){8}(?!\u0301)/u);
    assert.match(drawn, /link a\u0308o\u0308/u);
  });
});
