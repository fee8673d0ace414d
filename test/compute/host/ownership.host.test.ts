import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Guest, type GuestRecord } from '../../../server/compute/qemu/guest/guest.ts';
import { Ownership, shareDirectory } from '../../../server/compute/qemu/guest/ownership.ts';
import { tapName } from '../../../server/compute/qemu/routed/names.ts';
import { GUEST_UIDS } from '../../support/guest-uids.ts';
import { skipUnlessInstalled } from '../../support/tiny-image.ts';
import { CLOSED, Env, whyNot } from '../routed/support/env.ts';
import { guest as networkGuest, temporaryDirectory } from './support.ts';

const skip = skipUnlessInstalled('setfacl', 'getfacl');
const USERS = { from: 1_900_000_000, to: 1_900_000_003, group: 1 };
const ownership = () => new Ownership(async () => USERS);

async function guestOf(t: TestContext, uid?: number): Promise<Guest> {
  const directory = join(await temporaryDirectory(t), 'vm_01');
  await mkdir(directory);
  const guest = new Guest(directory, { id: 'vm_01', uid } as GuestRecord);
  await guest.save();
  return guest;
}

const listOf = (path: string) => execFileSync('getfacl', ['-cpn', path], { encoding: 'utf8' });

test('a user is given to one guest at a time, and to none that another guest has or had', {
  skip,
}, async (t) => {
  const held = await guestOf(t, USERS.from);
  const setAside = join(await temporaryDirectory(t), 'vm_02');
  await mkdir(setAside);
  await shareDirectory(setAside, { uid: USERS.from + 1, group: USERS.group });
  const users = ownership();
  const take = <T>(work: (uid?: number) => Promise<T>) =>
    users.withUser(
      () => [held],
      [setAside],
      (user) => work(user?.uid),
    );
  const inner = await take((first) => take((second) => Promise.resolve([first, second])));
  assert.deepEqual(inner, [USERS.from + 2, USERS.from + 3]);
  const third = take(() => take(() => take(async () => 0)));
  await assert.rejects(third, {
    name: 'CapacityError',
    message: 'all 4 users for guests on this host are in use',
  });
  // A failed creation has released its user.
  await assert.rejects(
    take(async () => Promise.reject(new Error('no room'))),
    /no room/,
  );
  assert.equal(await take(async (uid) => uid), USERS.from + 2);
  const alone = new Ownership();
  assert.equal(
    await alone.withUser(
      () => [held],
      [setAside],
      async (user) => user,
    ),
    undefined,
  );
});

test('a guest of an earlier version gets its own user, and nothing of the shared one', {
  skip,
}, async (t) => {
  const guest = await guestOf(t);
  for (const name of ['disk.qcow2', 'seed.iso', 'qemu.pid', 'qemu.log', 'console.log', 'qmp.sock'])
    await writeFile(join(guest.directory, name), '');
  await ownership().adopt(guest, () => [guest], []);
  assert.equal(guest.record.uid, USERS.from);
  assert.deepEqual((await readdir(guest.directory)).sort(), ['disk.qcow2', 'guest.json', 'seed.iso']);
  assert.match(listOf(guest.directory), new RegExp(`^user:${USERS.from}:rwx$`, 'm'));
  for (const name of ['disk.qcow2', 'seed.iso']) {
    const list = listOf(join(guest.directory, name));
    assert.match(list, new RegExp(`^user:${USERS.from}:rw-$`, 'm'));
    assert.match(list, /^group::---$/m);
    assert.match(list, /^other::---$/m);
  }
  // Only the service may read the record: the mask blocks what the directory's default ACL grants.
  assert.match(listOf(join(guest.directory, 'guest.json')), /^mask::---$/m);
  const before = listOf(guest.directory);
  await ownership().adopt(guest, () => [], []);
  assert.equal(listOf(guest.directory), before, 'once is enough');
});

test('an interface that another user may open is created again for its owner', {
  skip: whyNot(),
}, async (t) => {
  const env = await Env.open(t);
  const { id, ...rest } = networkGuest();
  const owner = async () => {
    const [link] = JSON.parse(await env.host.run('ip', '-j', '-d', 'link', 'show', 'dev', tapName(id)));
    return [link.linkinfo.info_data.user, link.ifindex];
  };
  const attach = (uid: number) => env.network.attach({ ...rest, id, uid }, CLOSED);
  await attach(GUEST_UIDS.from + 1);
  const [first, index] = await owner();
  assert.equal(first, GUEST_UIDS.from + 1);
  await attach(GUEST_UIDS.from + 1);
  assert.deepEqual(await owner(), [first, index], 'the same again is left as it is');
  await attach(GUEST_UIDS.from + 2);
  assert.equal((await owner())[0], GUEST_UIDS.from + 2);
  await assert.rejects(attach(1000), /^InvalidArgumentError: guest\.uid: /);
  await env.network.detach(id);
});
