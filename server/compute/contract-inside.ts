import assert from 'node:assert/strict';
import { once } from 'node:events';
import { freshKeyPair } from '../platform/ssh-key-pair.ts';
import type { ContractCases } from './contract.ts';
import { KEY, logIn, run } from './contract-shell.ts';
import { AgentUnavailableError, type ComputeDriver } from './driver.ts';

const STRANGER = freshKeyPair('contract');

const hasScreen = (driver: ComputeDriver) => driver.capabilities().screen === 'rfb';

export const INSIDE: ContractCases = {
  async 'openSsh reaches a server that accepts an authorized key and runs commands'(harness) {
    const { driver, booted } = harness;
    const { id } = await booted({ authorizedKeys: [KEY.public] });
    const sock = await driver.openSsh(id);
    const { client } = await logIn(harness, sock, KEY.private);
    assert.deepEqual(await run(client, 'echo hello; exit 3'), { text: 'hello\n', code: 3 });
    sock.destroy();
  },

  async 'a key is refused before it is authorized, and after it is revoked'(harness) {
    const { driver, booted } = harness;
    const { id } = await booted({ authorizedKeys: [KEY.public] });
    const refused = await driver.openSsh(id);
    await assert.rejects(logIn(harness, refused, STRANGER.private), /authentication/i);
    refused.destroy();
    await driver.authorizeKey(id, STRANGER.public);
    const sock = await driver.openSsh(id);
    await logIn(harness, sock, STRANGER.private);
    sock.destroy();
    await driver.revokeKey(id, STRANGER.public);
    const late = await driver.openSsh(id);
    await assert.rejects(logIn(harness, late, STRANGER.private), /authentication/i);
    late.destroy();
    const other = await driver.openSsh(id);
    await logIn(harness, other, KEY.private);
    other.destroy();
  },

  async 'a guest keeps its host key over a reboot, and no other guest has it'(harness) {
    const { driver, booted, untilUp, settle, shutdownSeconds } = harness;
    const keys: Buffer[] = [];
    const look = async (id: string) => {
      const sock = await driver.openSsh(id);
      keys.push((await logIn(harness, sock, KEY.private)).hostKey);
      sock.destroy();
    };
    const { id } = await booted({ authorizedKeys: [KEY.public] });
    await look(id);
    await settle(driver.reboot(id, shutdownSeconds));
    await untilUp(id);
    await look(id);
    await look((await booted({ authorizedKeys: [KEY.public] })).id);
    assert.ok(keys[0]?.equals(keys[1]!));
    assert.ok(!keys[0]?.equals(keys[2]!));
  },

  async 'connections end when the guest is switched off'(harness) {
    const { driver, booted } = harness;
    const { id } = await booted({ authorizedKeys: [KEY.public] });
    const sock = await driver.openSsh(id);
    const { client } = await logIn(harness, sock, KEY.private);
    client.on('error', () => {});
    const open = [sock, ...(hasScreen(driver) ? [await driver.openVnc(id)] : [])];
    for (const stream of open) stream.resume();
    const closed = Promise.all(open.map((stream) => once(stream, 'close')));
    await driver.powerOff(id);
    await closed;
  },

  async 'openVnc greets as RFB 3.8'({ t, driver, booted }) {
    if (!hasScreen(driver)) return t.skip('the screens of this engine do not speak RFB');
    const { id } = await booted();
    const screen = await driver.openVnc(id);
    let greeting = '';
    for await (const bytes of screen) {
      greeting += bytes;
      if (greeting.length >= 12) break;
    }
    assert.equal(greeting.slice(0, 12), 'RFB 003.008\n');
  },

  async 'neither opens for a guest that is off or missing'({ driver, made, spec }) {
    const off = await made();
    for (const id of [off.id, spec().id]) {
      await assert.rejects(driver.openSsh(id), AgentUnavailableError);
      await assert.rejects(driver.openVnc(id), AgentUnavailableError);
    }
  },
};
