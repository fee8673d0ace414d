import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isInstalled } from '../../../scripts/installed.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { NO_BROWSER, newPage, startBrowser } from '../../consoles/support/browser.ts';
import { openNovnc, pixelsOf } from '../../consoles/support/novnc.ts';
import { type Login, logIn, sendDatagrams } from '../support/internet.ts';
import { machines, output, processors } from '../support/machines.ts';
import { ownClients } from '../support/own-clients.ts';
import { startRealService } from '../support/real-service.ts';

/** Nothing listens there, but the guest still counts what arrives. */
const PORT = 7777;
const PACKETS = 50;

const NO_CLIENTS =
  ['ssh', 'scp', 'rsync'].every(isInstalled) || process.env.CI
    ? false
    : 'openssh-client or rsync is not installed';

/** A rule of a firewall in the API's reply. */
type Rule = { direction: string; action: string };

/** Returns the datagrams that have reached the guest, with and without a listener. */
async function received(guest: Login): Promise<number> {
  return Number(await guest.run("awk '/^Udp: [0-9]/ { print $2 + $3 }' /proc/net/snmp"));
}

/** Returns how many of {@link PACKETS} from the internet reach the guest. */
async function reaches(guest: Login, address: string): Promise<number> {
  const before = await received(guest);
  await sendDatagrams(address, PORT, PACKETS);
  // Earlier datagrams arrive before this command's reply, because it takes the same path later.
  return (await received(guest)) - before;
}

test('a real guest, from its purchase to its end, only over the API', async (t) => {
  const real = await startRealService(t, { env: { VAUBAN_QEMU_NETWORK: 'routed' } });
  const { customer, offer } = real;
  const { user: username } = offer;
  const { baseUrl } = real.service();
  const key = freshKeyPair();
  const { id: keyId } = await customer.ask('POST', '/v1/vm/sshkeys', {
    name: 'laptop',
    public_key: key.public,
  });
  const order = { plan: 'small', template: offer.image, hostname: 'web', ssh_key_ids: [keyId] };
  const ordered = performance.now();
  const since = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  const { vm } = await customer.ask('POST', '/v1/vm', order);
  const path = `/v1/vm/${vm.id}`;
  const settled = async (status: string) => {
    const now = await customer.settled(vm.id);
    assert.equal(now.status, status, JSON.stringify(now.last_job));
    return now;
  };
  /** Waits until the guest has booted that many times. A failed boot is reported with the state of its processors. */
  const booted = async (times: number) => {
    while ((await customer.ask('GET', `${path}/events?type=guest.ready`)).length < times) {
      const [hint] = await customer.ask('GET', `${path}/events?type=guest.warning`);
      if (hint)
        assert.fail(`${JSON.stringify(hint)}\n${await processors(real.location.env.VAUBAN_DATA_DIR, vm.id)}`);
      await pause(100);
    }
  };
  const open = async (rule: object) => {
    const { id } = await customer.ask('POST', `${path}/firewall`, {
      direction: 'in',
      action: 'accept',
      cidrs: ['198.51.100.0/24'],
      ...rule,
    });
    await enforced();
    return () => customer.ask('DELETE', `${path}/firewall/${id}`).then(enforced);
  };
  /** Waits until the rules that the API accepted are in force. */
  const enforced = async () => {
    for (;;) {
      const rules = await customer.ask('GET', `${path}/firewall`);
      const forwards = await customer.ask('GET', `${path}/port-forwarding`);
      if ([...rules, ...forwards].every(({ status = 'active' }) => status === 'active')) return;
    }
  };
  let forward!: { host: string; port: number };
  let guest!: Login;
  let file!: string;

  await t.test(
    'all ports closed, ssh, scp and rsync reach it through the service',
    {
      skip: NO_CLIENTS,
    },
    async (t) => {
      await settled('running');
      await booted(1);
      const rules = await customer.ask('GET', `${path}/firewall`);
      assert.deepEqual(
        rules.filter(({ direction, action }: Rule) => direction === 'in' && action === 'accept'),
        [],
      );
      const access = { baseUrl, key: customer.key, privateKey: key.private, vm: 'web', username };
      const { directory, ssh, carry, run, sshOptions } = ownClients(t, access);
      assert.equal(await ssh('hostname'), 'web\n');
      t.diagnostic(`${offer.image}: ${since(ordered)} from the order to a login`);

      const files = join(directory, 'files');
      await mkdir(join(files, 'more'), { recursive: true });
      const content = randomBytes(200_000);
      await writeFile(join(files, 'more', 'random'), content);
      await writeFile(join(files, 'empty'), '');
      const hash = createHash('sha256').update(content).digest('hex');
      const inGuest = `${hash}  more/random\n`;

      // The guest's image is small and has neither of the two: they are copied there over ssh.
      const scp = await carry('scp');
      await ssh(`printf '#!/bin/sh\\nexec ${scp} "$@"\\n' >/bin/scp; chmod 755 /bin/scp`);
      await run('scp', ['-q', '-O', '-r', ...sshOptions, 'files', `${username}@web:/tmp/by-scp`]);
      assert.equal(await ssh('cd /tmp/by-scp; sha256sum more/random'), inGuest);
      await run('scp', ['-q', '-O', ...sshOptions, `${username}@web:/tmp/by-scp/more/random`, 'back']);
      assert.deepEqual(await readFile(join(directory, 'back')), content);

      const way = ['ssh', ...sshOptions].map((word) => `'${word}'`).join(' ');
      const rsync = ['-a', `--rsync-path=${await carry('rsync')}`, '-e', way];
      await run('rsync', [...rsync, 'files/', `${username}@web:/tmp/by-rsync/`]);
      assert.equal(await ssh('cd /tmp/by-rsync; ls; sha256sum more/random'), `empty\nmore\n${inGuest}`);
      await run('rsync', [...rsync, `${username}@web:/tmp/by-rsync/`, 'again/']);
      assert.deepEqual(await readFile(join(directory, 'again', 'more', 'random')), content);
    },
  );

  await t.test('a forwarded port leads to its SSH server, which knows the customer', async (t) => {
    await settled('running');
    await booted(1);
    const { public_ip, external_port } = await customer.ask('POST', `${path}/port-forwarding`, {
      protocol: 'tcp',
      internal_port: 22,
    });
    forward = { host: public_ip, port: external_port };
    await open({ protocol: 'tcp', ports: '22' });
    guest = await logIn(t, forward, { username, privateKey: key.private });
    assert.equal(await guest.run('hostname; nproc'), 'web\n1');
    file = await guest.run('head -c 100000 /dev/urandom >kept; sync; sha256sum kept');
  });

  await t.test('its firewall opens and closes', async (t) => {
    guest = await logIn(t, forward, { username, privateKey: key.private });
    const { ipv4 } = await customer.ask('GET', path);
    assert.equal(await reaches(guest, ipv4), 0);
    const close = await open({ protocol: 'udp', ports: `${PORT}` });
    assert.equal(await reaches(guest, ipv4), PACKETS);
    await close();
    assert.equal(await reaches(guest, ipv4), 0);
    t.diagnostic(`${PACKETS} packets from the internet: 0 arrive closed, ${PACKETS} open, 0 closed again`);
    guest.end();
  });

  await t.test('a snapshot is taken and deleted', async () => {
    const { snapshot } = await customer.ask('POST', `${path}/snapshots`, { name: 'before' });
    await settled('running');
    const [taken] = await customer.ask('GET', `${path}/snapshots`);
    assert.deepEqual([taken.id, taken.status], [snapshot.id, 'available']);
    await customer.ask('DELETE', `${path}/snapshots/${snapshot.id}`);
    await settled('running');
    assert.deepEqual(await customer.ask('GET', `${path}/snapshots`), []);
  });

  await t.test('a larger plan is larger inside, and the files are there', async (t) => {
    await customer.ask('POST', `${path}/change-plan`, { plan: 'large', allow_reboot: true });
    await settled('running');
    await booted(2);
    guest = await logIn(t, forward, { username, privateKey: key.private });
    assert.equal(await guest.run('nproc'), '2');
    const kilobytes = Number(await guest.run("awk '/^MemTotal/ { print $2 }' /proc/meminfo"));
    const { ram_mb, disk_gb } = offer.plans.find(({ code }) => code === 'large')!;
    // The kernel uses a part of it.
    assert.ok(kilobytes > ram_mb * 800, `${kilobytes} kB of memory`);
    assert.equal(await guest.run('sha256sum kept'), file);
    // The file system grows while it is in use.
    const grown = `while [ "$(df -m / | awk 'END { print $2 }')" -lt ${disk_gb * 750} ]; do sleep 0.1; done; echo grown`;
    assert.equal(await guest.run(grown), 'grown');
    guest.end();
  });

  await t.test('a new password logs in', async (t) => {
    const reset = await customer.ask('POST', `${path}/reset-password`, {});
    await settled('running');
    assert.equal(reset.username, username);
    const login = await logIn(t, forward, { username, password: reset.password });
    assert.equal(await login.run('id -un'), username);
    login.end();
  });

  await t.test('the agent looks at it', async () => {
    const reply = await fetch(`${baseUrl}${path}/ai-agent`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Is the disk full?' }),
    });
    const events = await reply.text();
    assert.match(events, /"type":"command.completed".*"exit_code":0/);
    assert.match(events, /\/dev\/vda1/);
    assert.match(events, /"stop_reason":"completed"/);
  });

  await t.test('its screen is a console', { skip: NO_BROWSER }, async (t) => {
    const { page, complaints } = await newPage(await startBrowser(t));
    await openNovnc(page, baseUrl, await customer.ask('GET', `${path}/console`));
    await page.waitForFunction(() => document.querySelector('canvas')!.width > 600);
    while ((await pixelsOf(page)).lit < 500) await page.waitForTimeout(50);
    const before = (await pixelsOf(page)).sum;
    await page.evaluate('rfb.focus()');
    await page.keyboard.type(`${username}\n`);
    while ((await pixelsOf(page)).sum === before) await page.waitForTimeout(50);
    assert.deepEqual(complaints, []);
  });

  await t.test('a crash of the service does not affect it', async (t) => {
    const login = await logIn(t, forward, { username, privateKey: key.private });
    const uptime = Number(await login.run('cut -d. -f1 /proc/uptime'));
    await real.crash();
    await settled('running');
    assert.ok(Number(await login.run('cut -d. -f1 /proc/uptime')) >= uptime);
    login.end();
  });

  await t.test('it powers off when it is asked to', async (t) => {
    const asked = performance.now();
    await customer.ask('POST', `${path}/stop`, {});
    await settled('stopped');
    t.diagnostic(`${offer.image}: ${since(asked)} from the request to off`);
    assert.deepEqual(await machines(real.location.env.VAUBAN_DATA_DIR), []);
  });

  await t.test('deleted, nothing of it is left', async () => {
    await customer.ask('DELETE', path);
    assert.equal(await customer.settled(vm.id), undefined);
    assert.doesNotMatch(await output('ip', '-o', 'link'), /: vau/);
    assert.doesNotMatch(await output('nft', 'list', 'ruleset'), new RegExp(`${vm.ipv4}|${vm.id}`));
    assert.doesNotMatch(await output('ip', 'route'), new RegExp(vm.ipv4));
    // The directory's own id remains: it tells the next start where the guests were.
    const guests = await readdir(join(real.location.env.VAUBAN_DATA_DIR, 'guests'));
    assert.deepEqual(guests, ['engine.id']);
  });
});
