import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openShell, type Shell } from './shell.ts';

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

/** A log-in with the key, as root; tries until there is one in which a command has run. */
export async function logIn(host: string, privateKey: string): Promise<Shell> {
  for (;;) {
    const sock = await dial(host);
    try {
      const shell = await openShell(sock, privateKey);
      await shell.run('true');
      return shell;
    } catch {
      sock.destroy();
      await sleep(PAUSE_MS);
    }
  }
}

/** Resolves when root has logged in with the key, and a command has run; tries until then. */
export async function untilLogin(host: string, privateKey: string): Promise<void> {
  (await logIn(host, privateKey)).end();
}
