import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { guestSpec, settle } from '../support.ts';
import { Viewer } from './rfb-client.ts';
import { openSetting, runningGuest, type Setting } from './support.ts';

const LIMIT = { timeout: 300_000 };

async function view(t: TestContext, { driver }: Setting, id: string, encodings?: number[]): Promise<Viewer> {
  const viewer = new Viewer(await driver.openVnc(id), encodings);
  defer(t, () => viewer.close());
  assert.equal(await viewer.open(), 'RFB 003.008\n');
  viewer.ask(false);
  await viewer.update();
  return viewer;
}

async function logIn(viewer: Viewer): Promise<void> {
  await viewer.shows(/web login:$/);
  viewer.type('debian\r');
  await viewer.shows(/Password:$/);
  viewer.type('correct horse\r');
  await viewer.shows(/debian@web:~\$$/);
}

test('the screen shows the boot by the clock, then a login and typed text', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const { driver, clock } = setting;
  const spec = guestSpec('web', { password: 'correct horse' });
  await driver.create(spec);
  const starting = driver.start(spec.id);
  while (clock.sleeping === 0) await new Promise(setImmediate);
  const viewer = await view(t, setting, spec.id);
  clock.advance(10_000);
  await viewer.shows(/Hypervisor detected: KVM/);
  assert.doesNotMatch(viewer.text(), /login:/);
  await settle(clock, starting);
  const text = await viewer.shows(/web login:$/);
  assert.match(text, /\[ {2}OK {2}\] Started ssh.service/);
  await logIn(viewer);
  assert.doesNotMatch(viewer.text(), /correct/, 'a password is not shown');
  viewer.type('echo Hello; false\r');
  await viewer.shows(/^Hello$/m);
  viewer.type('echo $?\r');
  await viewer.shows(/^1$/m);
  viewer.type('yes\r');
  await viewer.shows(/^y$/m);
  viewer.control('c');
  await viewer.shows(/\^C\ndebian@web:~\$$/);
});

test('a late viewer sees the same as the first one, in Hextile and in small pixels', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting);
  const first = await view(t, setting, id);
  await logIn(first);
  first.type('uname -a\r');
  const text = await first.shows(/GNU\/Linux\ndebian@web:~\$$/);

  const second = await view(t, setting, id, [5, 0]);
  assert.equal(second.text(), text);
  assert.deepEqual([...second.seen.encodings], [5]);
  assert.ok(second.seen.bytes * 8 < first.width * first.height * 4, `${second.seen.bytes} bytes`);
  second.wantSmallPixels();
  second.ask(true);
  await second.update();
  assert.equal(second.text(), text);
  second.type('echo from the second\r');
  await first.shows(/^from the second$/m);
});

test(
  'a viewer that does not ask gets nothing, and an update holds all that has changed',
  LIMIT,
  async (t) => {
    const setting = await openSetting(t);
    const id = await runningGuest(setting);
    const slow = await view(t, setting, id);
    const quick = await view(t, setting, id);
    await logIn(quick);
    quick.type('seq 1 500\r');
    await quick.shows(/^500\ndebian@web:~\$$/m);
    assert.equal(slow.seen.updates, 1);
    slow.ask(true);
    await slow.update();
    assert.equal(slow.text(), quick.text());
  },
);

test('a reboot shows the boot again and logs out; deletion ends the connection', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const { driver, clock } = setting;
  const id = await runningGuest(setting);
  const viewer = await view(t, setting, id);
  await logIn(viewer);
  await settle(clock, driver.reboot(id, 60));
  assert.doesNotMatch(await viewer.shows(/Started nginx[\s\S]*web login:$/), /debian@web/);
  const stream = await driver.openVnc(id);
  stream.resume();
  const closed = new Promise((resolve) => stream.once('close', resolve));
  await driver.remove(id);
  await closed;
});

test('a viewer that sends nonsense is dropped, and harms no other', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting);
  const viewer = await view(t, setting, id);
  const shaken = Buffer.from('RFB 003.008\n\x01\x01');
  for (const nonsense of [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.from('RFB 003.008\n\x02'),
    Buffer.concat([shaken, Buffer.of(99)]),
    Buffer.concat([shaken, Buffer.of(0, 0, 0, 0, 24, 24, 0, 1), Buffer.alloc(12)]),
    Buffer.concat([shaken, Buffer.of(6, 0, 0, 0, 255, 255, 255, 255)]),
  ]) {
    const stream = await setting.driver.openVnc(id);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.resume().write(nonsense);
    await closed;
  }
  await logIn(viewer);
});

test('a wrong password costs time and is refused', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const viewer = await view(t, setting, await runningGuest(setting));
  await viewer.shows(/web login:$/);
  viewer.type('debian\rwrong\r');
  await settle(setting.clock, viewer.shows(/Login incorrect[\s\S]*web login:$/));
  assert.doesNotMatch(viewer.text(), /wrong/);
});
