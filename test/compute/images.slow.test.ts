// Needs: root, QEMU, the image debian-12.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipWithoutTinyImage, tinyImage } from '../support/tiny-image.ts';
import { bootGuest } from './qemu/bare-guest.ts';

const skip = await skipWithoutTinyImage();

/** The guest's disk; the image itself is much smaller. */
const DISK_MIB = 512;
/** The least size of the file system after it has grown; before, it is always smaller. */
const GROWN_MIB = 400;
/** Each address is alone in its prefix, as in a routed network. The IPv4 gateway is that of QEMU's user network. */
const ADDRESSES = [
  { address: '10.0.2.15', family: 4 as const, prefix: 32, gateway: '10.0.2.2' },
  { address: '2001:db8:1::5', family: 6 as const, prefix: 128, gateway: '2001:db8:1::1' },
];

test('tiny starts from its kernel and becomes what its seed says', { skip }, async (t) => {
  const network = { addresses: ADDRESSES, nameservers: ['10.0.2.3'] };
  const guest = await bootGuest(t, (await tinyImage())!, { diskMib: DISK_MIB, direct: true, ...network });
  const client = await guest.login('key');
  const facts = await guest.run(client, [
    'hostname',
    "ip -o addr show dev eth0 scope global | awk '{ print $4 }' | sort",
    'ip -6 route show default',
    'cat /etc/resolv.conf',
    // The file system grows while it is in use.
    `while [ "$(df -m / | awk 'END { print $2 }')" -lt ${GROWN_MIB} ]; do sleep 0.1; done; echo grown`,
  ]);
  assert.deepEqual(facts.trim().split(/ *\n/), [
    'web-1',
    '10.0.2.15/32',
    '2001:db8:1::5/128',
    'default via fe80::1 dev eth0  metric 1024',
    'nameserver 10.0.2.3',
    'grown',
  ]);
  const hostKey = guest.hostKey();

  (await guest.login({ password: guest.password })).end();
  const password = Buffer.from('another one').toString('base64');
  await guest.agent('guest-set-user-password', { username: 'root', password, crypted: false });
  assert.match(JSON.stringify(await guest.agent('guest-network-get-interfaces')), /"10\.0\.2\.15"/);

  const reset = guest.event('RESET');
  client.exec('reboot', () => {});
  await reset;
  const again = await guest.login({ password: 'another one' });
  assert.equal(guest.hostKey(), hostKey);
  again.end();
  await guest.powerOff();
});

test('tiny starts by BIOS, takes its address by DHCP, and reports its panic', { skip }, async (t) => {
  const network = { addresses: [], nameservers: [] };
  const guest = await bootGuest(t, (await tinyImage())!, { diskMib: DISK_MIB, direct: false, ...network });
  const client = await guest.login('key');
  const facts = await guest.run(client, ['cat /proc/cmdline', 'ip -4 route show default', 'nproc']);
  assert.match(facts, /^BOOT_IMAGE=\/boot\/vmlinuz .*\ndefault via 10\.0\.2\.2 dev eth0 *\n1\n$/);
  const panic = guest.event('GUEST_PANICKED');
  client.exec('echo c >/proc/sysrq-trigger', () => {});
  await panic;
  client.destroy();
});
