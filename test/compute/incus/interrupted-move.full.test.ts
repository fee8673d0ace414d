import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { isInstalled } from '../../../scripts/installed.ts';
import { defer } from '../../support/cleanup.ts';
import { CLUSTER, Daemon, runNumber } from './daemon.ts';
import { node, PatientClock } from './node.ts';

const ID = 'vm_1';
const HERE = { hostId: `incus:${CLUSTER}:m1` };
const [STOPPED, RUNNING] = [102, 103];
const skip = isInstalled('openssl') ? false : 'openssl is not installed';

/** A virtual machine whose live move was interrupted with an unknown outcome. It may answer at `port`. */
async function interrupted(t: TestContext, port: number) {
  const [daemon, clock] = [await Daemon.start(t, ID), new PatientClock()];
  const { guest } = daemon;
  guest.type = 'virtual-machine';
  guest.config['image.vauban.readiness'] = `port:${port}`;
  guest.config['user.vauban.addresses'] = JSON.stringify([{ address: '127.0.0.1', family: 4 }]);
  guest.config['user.vauban.booted'] = runNumber(1);
  guest.config['user.vauban.run'] = `* ${runNumber(1)}`;
  const orders: string[] = [];
  daemon.asked = (action) => {
    orders.push(action);
    guest.status_code = action === 'start' ? RUNNING : STOPPED;
    if (action === 'start') guest.last_used_at = runNumber(2);
  };
  const { driver, keys } = await node(t, daemon, clock);
  let isOver = false;
  const moving = driver.move(ID, HERE, 'live').finally(() => {
    isOver = true;
  });
  await clock.until(() => isOver);
  await moving;
  return { guest, orders, keys: keys() };
}

/** Starts a server that accepts connections; returns its port. */
async function listening(t: TestContext) {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

test('a guest that answers after a move without a result is left unchanged', { skip }, async (t) => {
  const { port } = await listening(t);
  const { guest, orders, keys } = await interrupted(t, port);
  assert.deepEqual(orders, []);
  assert.deepEqual(keys, []);
  assert.equal(guest.config['user.vauban.run'], `${runNumber(1)} ${runNumber(1)}`);
});

test('one that does not, because it was left paused, is switched off and on again', { skip }, async (t) => {
  const { server, port } = await listening(t);
  server.close();
  const { orders, keys } = await interrupted(t, port);
  assert.deepEqual(orders, ['stop', 'start']);
  assert.deepEqual(keys, [`${ID}/guest.rebooted/${runNumber(2)}`]);
});
