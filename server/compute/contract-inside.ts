import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { freshKeyPair } from '../platform/ssh-key-pair.ts';
import type { Bench, Promises } from './contract.ts';
import { AgentUnavailableError } from './driver.ts';

const KEY = freshKeyPair('contract');
const STRANGER = freshKeyPair('contract');

interface Session {
  client: ssh2.Client;
  /** The guest's host key, as it was shown. */
  hostKey: Buffer;
}

function logIn({ user }: Bench, sock: Duplex, privateKey: string): Promise<Session> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    let hostKey: Buffer = Buffer.alloc(0);
    client.on('ready', () => resolve({ client, hostKey }));
    client.on('error', reject);
    const hostVerifier = (key: Buffer) => {
      hostKey = key;
      return true;
    };
    client.connect({ sock, username: user, privateKey, hostVerifier, readyTimeout: 0 });
  });
}

/** What a command printed, and its exit code. */
function run(client: ssh2.Client, command: string): Promise<{ text: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      let text = '';
      let code: number | null = null;
      channel.on('data', (bytes: Buffer) => {
        text += bytes;
      });
      channel.on('exit', (given) => {
        code = given;
      });
      channel.on('close', () => resolve({ text, code }));
    });
  });
}

/** Reaching what runs inside. */
export const INSIDE: Promises = {
  async 'openSsh reaches a server that lets an authorized key in and runs commands'(bench) {
    const { driver, booted } = bench;
    const { id } = await booted({ authorizedKeys: [KEY.public] });
    const sock = await driver.openSsh(id);
    const { client } = await logIn(bench, sock, KEY.private);
    assert.deepEqual(await run(client, 'echo hello; exit 3'), { text: 'hello\n', code: 3 });
    sock.destroy();
  },

  async 'a key that is not authorized is turned away, until it is authorized'(bench) {
    const { driver, booted } = bench;
    const { id } = await booted({ authorizedKeys: [KEY.public] });
    const refused = await driver.openSsh(id);
    await assert.rejects(logIn(bench, refused, STRANGER.private), /authentication/i);
    refused.destroy();
    await driver.authorizeKey(id, STRANGER.public);
    const sock = await driver.openSsh(id);
    await logIn(bench, sock, STRANGER.private);
    sock.destroy();
  },

  async 'a guest keeps its host key over a reboot, and no other guest has it'(bench) {
    const { driver, booted, settle, shutdownSeconds } = bench;
    const keys: Buffer[] = [];
    const look = async (id: string) => {
      const sock = await driver.openSsh(id);
      keys.push((await logIn(bench, sock, KEY.private)).hostKey);
      sock.destroy();
    };
    const { id } = await booted({ authorizedKeys: [KEY.public] });
    await look(id);
    await settle(driver.reboot(id, shutdownSeconds));
    await look(id);
    await look((await booted({ authorizedKeys: [KEY.public] })).id);
    assert.ok(keys[0]?.equals(keys[1]!));
    assert.ok(!keys[0]?.equals(keys[2]!));
  },

  async 'connections end when the guest is switched off'(bench) {
    const { driver, booted } = bench;
    const { id } = await booted({ authorizedKeys: [KEY.public] });
    const sock = await driver.openSsh(id);
    const { client } = await logIn(bench, sock, KEY.private);
    client.on('error', () => {});
    const screen = await driver.openVnc(id);
    screen.resume();
    const closed = Promise.all([once(sock, 'close'), once(screen, 'close')]);
    await driver.powerOff(id);
    await closed;
  },

  async 'openVnc greets as RFB 3.8'({ driver, booted }) {
    const { id } = await booted();
    const screen = await driver.openVnc(id);
    let greeting = '';
    for await (const bytes of screen) {
      greeting += bytes;
      if (greeting.length >= 12) break;
    }
    assert.equal(greeting.slice(0, 12), 'RFB 003.008\n');
  },

  async 'neither opens for a guest that is off or absent'({ driver, made, spec }) {
    const off = await made();
    for (const id of [off.id, spec().id]) {
      await assert.rejects(driver.openSsh(id), AgentUnavailableError);
      await assert.rejects(driver.openVnc(id), AgentUnavailableError);
    }
  },
};
