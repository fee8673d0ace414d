import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { guestSpec, settle } from '../support.ts';
import { Viewer } from './rfb-client.ts';
import { openSetting, runningGuest, type Setting } from './support.ts';

const LIMIT = { timeout: 30_000 };

async function view(t: TestContext, { driver }: Setting, id: string, encodings?: number[]): Promise<Viewer> {
  const viewer = new Viewer(await driver.openVnc(id), encodings);
  defer(t, () => viewer.close());
  assert.equal(await viewer.open(), 'RFB 003.008\n');
  viewer.ask(false);
  await viewer.update();
  return viewer;
}

async function logIn(setting: Setting, viewer: Viewer): Promise<void> {
  await viewer.shows(/web login:$/);
  viewer.type('debian\r');
  await viewer.shows(/Password:$/);
  viewer.type('correct horse\r');
  await viewer.shows(/debian@web:~\$$/);
}

test('the screen shows the boot by the clock, then a login, and what is typed', LIMIT, async (t) => {
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
  await logIn(setting, viewer);
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
