import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { freshKeyPair } from '../platform/ssh-key-pair.ts';
import type { Harness } from './contract.ts';

/** The contract's key: a guest created with its public half accepts it. */
export const KEY = freshKeyPair('contract');

export interface Session {
  client: ssh2.Client;
  /** The host key that the guest presented. */
  hostKey: Buffer;
}

/** Logs in over `sock` as the user of the harness. */
export function logIn({ user }: Harness, sock: Duplex, privateKey: string): Promise<Session> {
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

/** Runs a command and returns its output and exit code. */
export function run(client: ssh2.Client, command: string): Promise<{ text: string; code: number | null }> {
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

/** Runs a command in a running guest that accepts {@link KEY}. Returns its output and the guest's host key. */
export async function inGuest(
  harness: Harness,
  id: string,
  command: string,
): Promise<{ text: string; hostKey: string }> {
  const sock = await harness.driver.openSsh(id);
  try {
    const { client, hostKey } = await logIn(harness, sock, KEY.private);
    const { text } = await run(client, command);
    return { text, hostKey: hostKey.toString('base64') };
  } finally {
    sock.destroy();
  }
}
