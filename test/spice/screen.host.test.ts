import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { GraphicsScreen } from '../../server/compute/incus/screens/screens.ts';
import { Viewer } from '../compute/simulator-inside/rfb-client.ts';
import { defer } from '../support/cleanup.ts';
import { skipUnlessInstalled } from '../support/tiny-image.ts';
import { attach, type Machine, openScreen, startMachine } from './machine.ts';

const skip = skipUnlessInstalled('qemu-system-x86_64');
/** Far longer than anything here takes, on any busy machine. */
const LIMIT = { timeout: 120_000, skip };
const SHIFT = 0xffe1;
const [RAW, HEXTILE, DESKTOP_SIZE] = [0, 5, -223];

async function look(t: TestContext, screen: GraphicsScreen, encodings = [HEXTILE, RAW, DESKTOP_SIZE]) {
  const stream = screen.view();
  const viewer = new Viewer(stream, encodings);
  defer(t, () => viewer.close());
  await viewer.open();
  viewer.ask(false);
  await viewer.update();
  return { viewer, stream };
}

/** Takes updates until the viewer shows every pixel of QEMU's screen. */
async function showsThe(machine: Machine, viewer: Viewer): Promise<void> {
  for (;;) {
    const { width, height, pixels } = await machine.dump();
    if (
      width === viewer.width &&
      height === viewer.height &&
      pixels.every((each, at) => each === viewer.pixels[at])
    )
      return;
    viewer.ask(true);
    await viewer.update();
  }
}

test('viewers see every pixel of the machine, and their input is typed there', LIMIT, async (t) => {
  const machine = await startMachine(t);
  const { screen } = openScreen(t, machine);
  const first = await look(t, screen);
  const second = await look(t, screen, [RAW]);
  const [viewer, other] = [first.viewer, second.viewer];
  assert.equal(viewer.name, 'vm_1');
  assert.deepEqual([viewer.width, viewer.height], [720, 400]);
  await showsThe(machine, viewer);
  assert.ok(viewer.pixels.includes(0xa8a8a8) || viewer.pixels.includes(0xaaaaaa), 'it shows letters');
  // One at a time, because a BIOS buffers only fifteen keys.
  const typed = 'Me, "12" {a|b}~';
  for (let length = 1; length <= typed.length; length++) {
    viewer.type(typed[length - 1]!);
    await machine.until(async () => (await machine.text()).includes(typed.slice(0, length)));
  }
  await Promise.all([showsThe(machine, viewer), showsThe(machine, other)]);
  const closed = [first, second].map(({ stream }) => once(stream, 'close'));
  screen.close();
  await Promise.all(closed);
});

test(
  'the size of the screen changes for viewers that can follow, and ends it for others',
  LIMIT,
  async (t) => {
    const machine = await startMachine(t);
    const { screen } = openScreen(t, machine);
    const { viewer } = await look(t, screen);
    const fixed = await look(t, screen, [RAW]);
    const closed = once(fixed.stream, 'close');
    viewer.type('G');
    while (viewer.width !== 1024) {
      viewer.ask(true);
      await viewer.update();
    }
    assert.equal(viewer.height, 768);
    fixed.viewer.ask(true);
    await closed;
    const { viewer: second } = await look(t, screen, [RAW]);
    viewer.type('x');
    await showsThe(machine, viewer);
    await showsThe(machine, second);
  },
);

test('a relative mouse follows the pointer, and a tablet is at its position', LIMIT, async (t) => {
  const mouse = await startMachine(t);
  const { viewer } = await look(t, openScreen(t, mouse).screen);
  viewer.point(30, 20, 0);
  viewer.point(25, 40, 1);
  viewer.point(25, 40, 0);
  await mouse.until(async () => /btn.*left.*\n[\s\S]*btn.*left/.test(await mouse.events()));
  const steps = await mouse.events();
  for (const [axis, values] of [
    ['x', [30, -5]],
    ['y', [20, 20]],
  ] as const)
    assert.deepEqual(
      [...steps.matchAll(new RegExp(`rel.*axis ${axis}, value (-?[1-9]\\d*)`, 'g'))].map(([, value]) =>
        Number(value),
      ),
      values,
      steps,
    );
  assert.match(steps, /value 20\n.*sync.*\n(.*value 0\n)*.*left, down 1\n/, 'moved before it is pressed');

  const devices = ['qemu-xhci', 'usb-tablet'].flatMap((device) => ['-device', device]);
  const tablet = await startMachine(t, '-machine', 'q35,i8042=off', ...devices);
  const { viewer: other } = await look(t, openScreen(t, tablet).screen);
  for (let count = 0; count <= 200; count++) other.point(count, 100, 0);
  other.point(359, 399, 4);
  await tablet.until(async () => /btn.*right/.test(await tablet.events()));
  const places = [...(await tablet.events()).matchAll(/abs.*axis (\w), value 0x(\w+)/g)];
  const last = (wanted: string) => Number.parseInt(places.findLast(([, axis]) => axis === wanted)![2]!, 16);
  // The same fraction of 32767 as of the screen.
  assert.ok(Math.abs(last('x') / 0x7fff - 359 / 720) < 0.001, String(last('x')));
  assert.ok(Math.abs(last('y') / 0x7fff - 399 / 400) < 0.001, String(last('y')));
});

test('a screen continues with the next session and its picture', LIMIT, async (t) => {
  const machine = await startMachine(t);
  const { screen, attached } = openScreen(t, machine);
  const { viewer } = await look(t, screen);
  await showsThe(machine, viewer);
  // Another client takes over the server.
  const other = openScreen(t, machine);
  await attached.ends;
  const { viewer: second } = await look(t, other.screen);
  second.type('z');
  await showsThe(machine, second);
  const again = attach(screen, machine.spice);
  await other.attached.ends;
  await showsThe(machine, viewer);
  viewer.type('again');
  await machine.until(async () => (await machine.text()).includes('zagain'));
  screen.close();
  await again.ends;
});

test('the keys that a leaving viewer holds are released', LIMIT, async (t) => {
  const machine = await startMachine(t);
  const { screen } = openScreen(t, machine);
  const { viewer } = await look(t, screen);
  const { viewer: other } = await look(t, screen);
  viewer.hold(SHIFT);
  await machine.until(async () => /key.*shift.*down 1/.test(await machine.events()));
  viewer.close();
  await machine.until(async () => /key.*shift.*down 0/.test(await machine.events()));
  other.type('q');
  await machine.until(async () => (await machine.text()).includes('q'));
});

test('a screen at something that it does not understand says why it has ended', LIMIT, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-spice-'));
  defer(t, () => rm(directory, { recursive: true }));
  const server = createServer((socket) =>
    socket.on('error', () => {}).write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  );
  await once(server.listen(join(directory, 'spice')), 'listening');
  defer(t, () => server.close());
  const { attached, refused } = openScreen(t, { spice: join(directory, 'spice') });
  assert.equal(await refused, 'not a SPICE server');
  await attached.ends;
});
