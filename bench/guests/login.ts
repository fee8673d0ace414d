import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openShell, type Shell } from './shell.ts';

/** Timeout for connecting to a guest that is not up yet: the kernel would resend the packet only after a second. */
const CONNECT_MS = 200;
/** Small compared with the fastest boot. */
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

/** Logs in as root with the key; retries until a command has run. */
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

/** Resolves once root has logged in with the key and a command has run; retries until then. */
export async function untilLogin(host: string, privateKey: string): Promise<void> {
  (await logIn(host, privateKey)).end();
}
