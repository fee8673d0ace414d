import type { Duplex } from 'node:stream';
import ssh2, { type Connection } from 'ssh2';
import { connectionPair } from '../connection-pair.ts';
import type { System } from '../system/system.ts';
import { MAX_AUTHENTICATION_TRIES, mayLogIn, refuse } from './authentication.ts';
import { serveSession } from './session.ts';

/** Maximum concurrent channels of one connection, as OpenSSH's MaxSessions. */
const MAX_SESSIONS = 10;
/** A client that does not log in within this time is disconnected. */
const LOGIN_GRACE_MS = 120_000;

/** Returns a stream that leads to the guest's SSH server. The server ends when `signal` aborts or the stream ends. */
export function serveSsh(system: System, signal: AbortSignal): Duplex {
  const [client, served] = connectionPair();
  const server = new ssh2.Server({ hostKeys: [system.hostKey], ident: 'OpenSSH_10.0' }, (connection) =>
    serveConnection(system, connection, AbortSignal.any([signal, closed.signal])),
  );
  const closed = new AbortController();
  const end = () => client.destroy();
  for (const stream of [client, served]) stream.on('error', () => {});
  served.on('close', () => {
    closed.abort();
    signal.removeEventListener('abort', end);
  });
  signal.addEventListener('abort', end, { once: true });
  // The library's type asks for a socket, but it only uses what every duplex stream has.
  server.injectSocket(served as unknown as Parameters<typeof server.injectSocket>[0]);
  return client;
}

function serveConnection(system: System, connection: Connection, signal: AbortSignal): void {
  let tries = 0;
  let user = '';
  const inTime = new AbortController();
  system.clock.sleep(LOGIN_GRACE_MS, AbortSignal.any([signal, inTime.signal])).then(
    () => connection.end(),
    () => {},
  );
  connection.on('authentication', async (context) => {
    try {
      await system.refresh();
      if (mayLogIn(system.guest, context)) {
        user = context.username;
        context.accept();
      } else if (++tries > MAX_AUTHENTICATION_TRIES) connection.end();
      else refuse(context);
    } catch {
      // The database is unavailable, so no login can be verified.
      connection.end();
    }
  });
  connection.on('ready', () => {
    inTime.abort();
    let sessions = 0;
    connection.on('session', (accept, reject) => {
      if (sessions >= MAX_SESSIONS) return reject();
      sessions++;
      const session = accept();
      session.on('close', () => sessions--);
      serveSession(session, system, user, signal);
    });
  });
  // A client that disconnects or sends garbage affects only its own connection.
  connection.on('error', () => {});
  signal.addEventListener('abort', () => connection.end(), { once: true });
}
