import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSimulator } from '../../../server/compute/simulator/simulator.ts';
import { SimulatorGuests } from '../../../server/db/queries/hosts/simulator-guests.ts';
import { defer } from '../../support/cleanup.ts';
import { BOOT_SECONDS, guestSpec, HOUR_MS, MINUTE_MS, settle } from '../support.ts';
import { connect, ended, exec, KEY, loggedIn, openSetting, run, runningGuest } from './support.ts';

const LIMIT = { timeout: 300_000 };

test('passwords are the ones of the guest, of the user they were set for', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const { driver } = setting;
  const id = await runningGuest(setting);
  const log = async (username: string, password: string) => {
    const sock = await driver.openSsh(id);
    defer(t, () => sock.destroy());
    return connect(sock, { username, password, privateKey: undefined });
  };
  await log('debian', 'correct horse');
  for (const [user, password] of [
    ['debian', 'wrong'],
    ['root', 'correct horse'],
    ['nobody', 'correct horse'],
    ['toString', ''],
  ] as const) {
    await assert.rejects(log(user, password), /authentication/i, user);
  }
  await driver.setPassword(id, 'root', 'battery staple');
  await driver.setPassword(id, 'debian', 'changed');
  await log('root', 'battery staple');
  await assert.rejects(log('debian', 'correct horse'), /authentication/i);
});

test('df, free and uptime agree with the driver', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const { driver, clock } = setting;
  const id = await runningGuest(setting, 'web-mem-hog');
  const client = await loggedIn(t, setting, id, { username: 'root' });
  clock.advance(HOUR_MS);
  await exec(setting, client, 'dd if=/dev/zero of=/big bs=1M count=2000');
  const { stdout } = await run(client, 'df; free -b; uptime; cat /proc/uptime');
  const [volume] = await driver.volumes(id);
  const [sample] = await driver.sample([id]);
  const [, kilobytes, used] = /\/dev\/vda1 +(\d+) +(\d+)/.exec(stdout)!.map(Number);
  assert.equal(kilobytes, (volume!.sizeGb * 1e9) / 1024);
  assert.equal(used, Math.ceil(volume!.usedBytes! / 1024));
  assert.ok(volume!.usedBytes! > 3.5e9);
  assert.equal(Number(/Mem: +\d+ +(\d+)/.exec(stdout)![1]), sample!.ramUsedBytes);
  assert.ok(sample!.ramUsedBytes > 0.9 * 2048 * 1_048_576, 'the leak is in the samples');
  assert.match(stdout, /up {2}1:0\d,/);
  assert.equal(
    Number(/^(\d+)\.\d\d /m.exec(stdout)![1]),
    Math.floor((clock.now().getTime() - Date.UTC(2026, 0)) / 1000),
  );
});

test('files and services last as long as the guest, over a reboot and for another node', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const { db, clock, driver } = setting;
  const id = await runningGuest(setting);
  const client = await loggedIn(t, setting, id, { username: 'root' });
  await exec(setting, client, 'echo kept > /root/note; rm /etc/crontab; systemctl stop cron');

  const other = createSimulator({ store: new SimulatorGuests(db), clock, bootSeconds: BOOT_SECONDS });
  defer(t, () => other.close());
  const there = await loggedIn(t, { ...setting, driver: other }, id, { username: 'root' });
  const look = 'cat /root/note; ls /etc/crontab; systemctl is-active cron';
  assert.equal((await exec(setting, there, look)).stdout, 'kept\ninactive\n');

  // The other node's change is noticed within a second on the clock.
  const over = ended(client);
  await other.powerOff(id);
  await settle(clock, over);
  await settle(clock, driver.start(id));
  const again = await loggedIn(t, setting, id, { username: 'root' });
  assert.equal((await exec(setting, again, look)).stdout, 'kept\nactive\n', 'a boot starts every service');
  await driver.remove(id);
  await driver.create(guestSpec('web', { id, authorizedKeys: [KEY.public] }));
  await settle(clock, driver.start(id));
  const fresh = await loggedIn(t, setting, id, { username: 'root' });
  assert.equal((await exec(setting, fresh, look)).stdout, '/etc/crontab\nactive\n');
});

test('a full disk is found, and repaired by removing the log', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting, 'web-disk-full');
  const client = await loggedIn(t, setting, id);
  const look = async (command: string) => (await exec(setting, client, command)).stdout;
  assert.match(await look('df -h /'), / 9[78]% /);
  assert.match(await look('sudo du -h -d 1 /var/log | sort -h | tail -2'), /\/var\/log\/app/);
  assert.match(await look('tail -n 2 /var/log/app/debug.log'), /^debug: .*\ndebug: /);
  assert.match(
    (await exec(setting, client, 'dd if=/dev/zero of=/tmp/x bs=1M count=4000')).stderr,
    /No space left/,
  );
  await look('rm -f /tmp/x');
  assert.equal((await exec(setting, client, 'rm /var/log/app/debug.log')).code, 1);
  await look('sudo truncate -s 0 /var/log/app/debug.log');
  assert.match(await look('df -h /'), / [89]% /);
});

test('a failed service is found, and repaired by a restart', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting, 'web-service-failed');
  const client = await loggedIn(t, setting, id);
  setting.clock.advance(MINUTE_MS);
  const look = (command: string) => exec(setting, client, command);
  assert.deepEqual(await look('systemctl is-active nginx'), { stdout: 'failed\n', stderr: '', code: 3 });
  assert.match((await look('systemctl list-units --failed')).stdout, /nginx.service/);
  assert.match((await look('journalctl -u nginx -n 5')).stdout, /code=killed/);
  assert.equal((await look('curl -s http://localhost/')).code, 7);
  assert.equal((await look('systemctl restart nginx')).code, 4);
  assert.equal((await look('sudo systemctl restart nginx')).code, 0);
  assert.match((await look('systemctl status nginx')).stdout, /active \(running\)[\s\S]*Started nginx/);
  assert.match((await look('ss -ltn; curl -s localhost')).stdout, /0\.0\.0\.0:80[\s\S]*It works/);
});

test('a leak is found with ps, and ends when its process does', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting, 'web-mem-hog');
  const client = await loggedIn(t, setting, id, { username: 'root' });
  setting.clock.advance(10 * MINUTE_MS);
  const { stdout } = await exec(setting, client, 'ps aux --sort=-%mem | head -2 | tail -1');
  const [, pid] = /^www-data +(\d+) .*\/opt\/report\/worker/.exec(stdout)!;
  await exec(setting, client, `kill ${pid}`);
  const [sample] = await setting.driver.sample([id]);
  assert.ok(sample!.ramUsedBytes < 0.8 * 2048 * 1_048_576);
  assert.match((await exec(setting, client, 'systemctl status report-worker')).stdout, /inactive \(dead\)/);
});

test('nothing listens on port 22 of a guest with that name', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting, 'web-sim-no-ssh');
  await assert.rejects(setting.driver.openSsh(id), { name: 'AgentUnavailableError' });
});
