// Runs on the embedded engine only: it is about the SSH server of a simulated guest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SimulatorGuests } from '../../../server/db/queries/hosts/simulator-guests.ts';
import { exec, loggedIn, openSetting, openShell, run, runningGuest } from './support.ts';

test('a key logs in the default user and root, and a command has output and exit code', async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting);
  for (const username of ['debian', 'root']) {
    const client = await loggedIn(t, setting, id, { username });
    const outcome = await exec(setting, client, 'whoami; echo oops >&2; exit 3');
    assert.deepEqual(outcome, { stdout: `${username}\n`, stderr: 'oops\n', code: 3 });
  }
});

test('a shell has a terminal: prompt, echo, editing, history, Ctrl-C, resize, Ctrl-D', {
  timeout: 300_000,
}, async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting);
  const screen = await openShell(await loggedIn(t, setting, id), { cols: 100, rows: 30 });
  await screen.shows(/debian@web:~\$ $/);
  screen.type('echo heio\x1b[D\x7fll\r');
  await screen.shows(/\r\nhello\r\n/);
  screen.type('\x1b[A\r');
  await screen.shows(/hello\r\nhello\r\n|echo hello\r\nhello\r\n/);
  screen.type('stty size\r');
  await screen.shows(/30 100\r\n/);
  screen.channel.setWindow(40, 120, 0, 0);
  screen.type('stty size\r');
  await screen.shows(/40 120\r\n/);
  screen.type('who\r');
  await screen.shows(/debian +pts\/0 +\d{4}-\d\d-\d\d \d\d:\d\d +\([^)]+\)\r\n/);
  screen.type('yes\r');
  await screen.shows(/y\r\ny\r\n/);
  screen.type('\x03');
  await screen.shows(/\^C[\s\S]*\$ $/);
  screen.type('echo $?\r');
  await screen.shows(/130\r\n/);
  screen.type('\x04');
  await screen.shows(/logout\r\n$/);
  assert.ok(true);
});

test('a connection that is opened while the others are looked at stays open', async (t) => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  class SlowStore extends SimulatorGuests {
    override async runsOf(ids: string[]) {
      const runs = await super.runsOf(ids);
      asked.resolve();
      await answered.promise;
      return runs;
    }
  }
  const setting = await openSetting(t, (db) => new SlowStore(db));
  const first = await runningGuest(setting, 'first');
  const second = await runningGuest(setting, 'second');
  const before = await loggedIn(t, setting, first);
  setting.clock.advance(1_000);
  await asked.promise;
  const during = await loggedIn(t, setting, second);
  answered.resolve();
  await turn();
  for (const client of [before, during])
    assert.deepEqual(await run(client, 'echo here'), { stdout: 'here\n', stderr: '', code: 0 });
});
