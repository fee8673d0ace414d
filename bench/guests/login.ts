import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2 from 'ssh2';

/** What a packet to a guest that is not there yet is waited for: the kernel would send it again only after a second. */
const CONNECT_MS = 200;
/** Small beside the quickest boot. */
const PAUSE_MS = 20;

async function dial(host: string): Promise<Socket> {
  for (;;) {
    const socket = connect({ host, port: 22, noDelay: true });
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
      return socket;
    } catch {
      socket.on('error', () => {}).destroy();
      await sleep(PAUSE_MS);
    }
  }
}

/** Resolves when root has logged in with the key, and a command has run; tries until then. */
export async function untilLogin(host: string, privateKey: string): Promise<void> {
  for (;;) {
    const sock = await dial(host);
    const client = new ssh2.Client();
    // One that boots may take a connection and lose it.
    const closed = once(
      client.on('error', () => {}),
      'close',
    );
    const ready = once(client, 'ready').then(() => run(client));
    client.connect({ sock, username: 'root', readyTimeout: 0, privateKey });
    const done = await Promise.race([ready.then(() => true), closed.then(() => false)]).catch(() => false);
    client.destroy();
    if (done) return;
    await sleep(PAUSE_MS);
  }
}

function run(client: ssh2.Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.exec('true', (error, channel) => {
      if (error) return reject(error);
      channel.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`true: ${code}`)))).resume();
    });
  });
}
