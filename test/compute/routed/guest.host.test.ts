import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import ssh2 from 'ssh2';
import type { NetworkPolicy } from '../../../server/compute/driver.ts';
import type { HostNetwork } from '../../../server/compute/qemu/network/network.ts';
import { tapName } from '../../../server/compute/qemu/routed/names.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';
import { GUEST_UIDS } from '../../support/guest-uids.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { boot, openQemu, stayAlive, tinySpec } from '../qemu/support.ts';
import { CLOSED, Env, FORWARD_ADDRESS, GATEWAY, INTERNET, whyNot } from './support/env.ts';

const skip = whyNot() || (await skipWithoutTinyImage());

async function logIn(sock: Duplex, privateKey: string): Promise<ssh2.Client> {
  const client = new ssh2.Client();
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).on('error', reject);
    client.connect({ sock, username: 'root', privateKey, readyTimeout: 60_000 });
  });
  return client;
}

function execute(client: ssh2.Client, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      let text = '';
      const add = (bytes: Buffer) => {
        text += bytes;
      };
      channel.on('data', add).on('close', () => resolve(text.trim()));
      channel.stderr.on('data', add);
    });
  });
}

test('a real guest, run by the helper, is reached through its forward and fenced by its rules', {
  skip,
}, async (t) => {
  const rest = stayAlive();
  defer(t, rest);
  const umask = process.umask(0o007);
  defer(t, () => process.umask(umask));
  const image = (await tinyImage())!;
  const env = await Env.open(t, join(image.disk, '../..'));
  const { network: helper } = env;
  // `probe` is the one thing that the service does itself, in the host's namespace; this process is in another one.
  const network: HostNetwork = {
    mode: 'routed',
    probe: () => helper.probe(),
    attach: (...given) => helper.attach(...given),
    apply: (...given) => helper.apply(...given),
    reassert: (guests) => helper.reassert(guests),
    altered: (signal) => helper.altered(signal),
    reachable: () => helper.reachable(),
    detach: (id) => helper.detach(id),
    counters: (ids) => helper.counters(ids),
    connect: async (guest, port) => env.host.dial(t, guest.addresses[0]!.address, port),
    close: async () => {},
  };
  const users = () => helper.users();
  const driver = openQemu(env.pool, image, { network, launcher: helper, users });
  const keys = freshKeyPair('test');
  const [v4, v6] = ['203.0.113.30', '2001:db8:1::1e'];
  const addresses = [
    { address: v4, family: 4 as const, prefix: 24, gateway: GATEWAY[4] },
    { address: v6, family: 6 as const, prefix: 48, gateway: GATEWAY[6] },
  ];
  const spec = tinySpec({ addresses, authorizedKeys: [keys.public] });
  const { id } = spec;
  defer(t, async () => {
    await driver.remove(id);
    await driver.close();
  });
  const forward = { publicIp: FORWARD_ADDRESS, externalPort: 2222, internalIp: v4, internalPort: 22 };
  const everyone = ['0.0.0.0/0', '::/0'];
  const open: NetworkPolicy = {
    ...CLOSED,
    firewall: [{ direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: everyone }],
    portForwards: [{ ...forward, protocol: 'tcp' }],
  };
  await driver.create(spec);
  await driver.applyNetwork(id, open);
  await boot(driver, id);

  const pid = Number(await readFile(join(env.pool, id, 'qemu.pid'), 'utf8'));
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  assert.match(status, new RegExp(`^Uid:(\t${GUEST_UIDS.from}){4}$`, 'm'));
  for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'])
    assert.match(status, new RegExp(`^Cap${set}:\t0+$`, 'm'));
  const client = await logIn(env.internet.dial(t, FORWARD_ADDRESS, 2222), keys.private);
  defer(t, () => client.end());
  assert.equal(await execute(client, 'echo inside'), 'inside');
  for (const [host, flag] of [
    [INTERNET[4], ''],
    [INTERNET[6], '-6'],
  ] as const) {
    assert.match(await execute(client, `ping ${flag} -c 1 ${host}`), /1 packets received/);
  }
  const sample = (await driver.sample([id]))[0]!;
  assert.ok(sample.netInPackets > 5 && sample.netOutPackets > 5);

  const stored = async () => JSON.parse(await readFile(join(env.pool, id, 'guest.json'), 'utf8')).policy;
  const before = await stored();
  const stranger = { ...open, portForwards: [{ ...forward, publicIp: '9.9.9.9', protocol: 'udp' as const }] };
  await assert.rejects(
    driver.applyNetwork(id, stranger),
    /^InvalidArgumentError: policy\.portForwards\.0\.publicIp/,
  );
  assert.deepEqual(await stored(), before, 'what is refused is not asserted after the next start either');

  // The driver repairs what another process has altered, without being asked.
  const whole = async () => (await env.host.run('nft', 'list', 'ruleset')).includes(`in-${tapName(id)}`);
  const forwarding = async () => (await env.host.run('cat', '/proc/sys/net/ipv4/ip_forward')).trim() === '1';
  const acts: [string[], () => Promise<boolean>][] = [
    [['nft', 'flush', 'ruleset'], whole],
    [['sh', '-c', 'echo 0 > /proc/sys/net/ipv4/ip_forward'], forwarding],
  ];
  for (const [act, repaired] of acts) {
    const began = performance.now();
    await env.host.run(...act);
    while (!(await repaired())) await pause(10);
    t.diagnostic(`${act.join(' ')}: repaired after ${Math.round(performance.now() - began)} ms`);
  }

  // Established connections stay, as everywhere; new ones are refused.
  await driver.applyNetwork(id, CLOSED);
  const late = await env.internet.ask({ do: 'dial', host: v6, port: 22 });
  assert.equal(await execute(client, 'echo still inside'), 'still inside');
  assert.equal(await env.internet.ask({ do: 'isOpen', socket: late as number }), false);

  await driver.remove(id);
  const left = await env.host.run('nft', 'list', 'ruleset');
  assert.ok(!left.includes(v4) && !left.includes(spec.mac));
});
