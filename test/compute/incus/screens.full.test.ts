import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { type Screen, Screens } from '../../../server/compute/incus/screens/screens.ts';
import { defer } from '../../support/cleanup.ts';
import { Viewer } from '../simulator-inside/rfb-client.ts';

const LIMIT = { timeout: 60_000 };

/** Opens a screen in a thread, and records what is typed and how much of the written output has arrived. */
function opened(t: TestContext) {
  const screens = new Screens({ warn: () => {} });
  defer(t, () => screens.close());
  const heard = { typed: '', written: 0, changed: Promise.withResolvers<void>() };
  const change = () => {
    heard.changed.resolve();
    heard.changed = Promise.withResolvers();
  };
  const screen = screens.open('vm_1', {
    written(bytes) {
      heard.written += bytes;
      change();
    },
    typed(text) {
      heard.typed += text;
      change();
    },
  });
  const until = async (holds: () => boolean) => {
    while (!holds()) await heard.changed.promise;
  };
  return { screens, screen, heard, until };
}

async function look(t: TestContext, screen: Screen) {
  const stream = screen.view();
  const viewer = new Viewer(stream, [5, 0]);
  defer(t, () => viewer.close());
  assert.equal(await viewer.open(), 'RFB 003.008\n');
  viewer.ask(false);
  await viewer.update();
  return { viewer, stream };
}

test('all viewers see the output, and input from each is accepted', LIMIT, async (t) => {
  const { screen, heard, until } = opened(t);
  screen.write(Buffer.from('web login: '));
  const [first, second] = [await look(t, screen), await look(t, screen)];
  assert.equal(first.viewer.name, 'vm_1');
  for (const { viewer } of [first, second]) await viewer.shows(/^web login:$/);
  first.viewer.type('root');
  await until(() => heard.typed === 'root');
  second.viewer.type('\r');
  await until(() => heard.typed === 'root\r');
  const closed = [first, second].map(({ stream }) => once(stream, 'close'));
  screen.close();
  await Promise.all(closed);
});

test('the terminal answers current queries, and no past ones', LIMIT, async (t) => {
  const { screen, heard, until } = opened(t);
  screen.write(Buffer.from('past\x1b[6n'), true);
  screen.write(Buffer.from('\r\n\x1b[6n'));
  await until(() => heard.typed !== '');
  assert.equal(heard.typed, '\x1b[2;1R');
});

test('a program in application mode gets its own arrow keys', LIMIT, async (t) => {
  const { screen, heard, until } = opened(t);
  const { viewer } = await look(t, screen);
  screen.write(Buffer.from('\x1b[?1hready'));
  await viewer.shows(/ready/);
  viewer.key(0xff52);
  await until(() => heard.typed === '\x1bOA');
});

test('a flood is read at its own pace, and delays neither this thread nor a viewer', LIMIT, async (t) => {
  const { screen, heard, until } = opened(t);
  const { viewer } = await look(t, screen);
  const chunk = Buffer.from('\x1b[31mx\x1b[32my'.repeat(5_000));
  const total = chunk.length * 10;
  for (let count = 0; count < 10; count++) screen.write(chunk);
  screen.write(Buffer.from('\x1b[m\x1bcdone'));
  assert.ok(heard.written < total);
  await viewer.shows(/^done$/);
  await until(() => heard.written >= total);
});

test('a viewer that reads nothing is sent no more than an update', LIMIT, async (t) => {
  const { screen, heard, until } = opened(t);
  const { viewer, stream } = await look(t, screen);
  // Request full updates again and again, and never read one.
  for (let count = 0; count < 200; count++) viewer.ask(false);
  const other = await look(t, screen);
  for (let count = 0; count < 5; count++) {
    screen.write(Buffer.from(`\x1b[${30 + (count % 8)}m${'#'.repeat(2_000)}`));
    await until(() => heard.written > count * 2_000);
    other.viewer.ask(true);
    await other.viewer.update();
  }
  assert.ok(stream.readableLength < 2 * 80 * 25 * 8 * 16 * 4, `${stream.readableLength} bytes wait`);
});

test(
  'a thread that has died takes its viewers with it, and the next screen gets another',
  LIMIT,
  async (t) => {
    const { screens, screen } = opened(t);
    const { stream } = await look(t, screen);
    const closed = once(stream, 'close');
    await screens.close();
    await closed;
    const next = screens.open('vm_2', { written() {}, typed() {} });
    next.write(Buffer.from('again'));
    await (await look(t, next)).viewer.shows(/^again$/);
  },
);
