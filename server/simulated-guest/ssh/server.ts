import type { Duplex } from 'node:stream';
import ssh2, { type Connection } from 'ssh2';
import { connectionPair } from '../connection-pair.ts';
import type { System } from '../system/system.ts';
import { MAX_AUTHENTICATION_TRIES, mayLogIn, refuse } from './authentication.ts';
import { serveSession } from './session.ts';

/** As OpenSSH's MaxSessions: channels that one connection has at once. */
const MAX_SESSIONS = 10;
/** A client that negotiates and never logs in is disconnected. */
const LOGIN_GRACE_MS = 120_000;

/** A guest's SSH server at the other end of the returned stream. It ends with `signal`, or with the stream. */
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
  // The library asks for a socket and uses what every duplex stream has.
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
      // The database is away: no login can be checked.
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
  // A client that breaks off or speaks nonsense harms its own connection alone.
  connection.on('error', () => {});
  signal.addEventListener('abort', () => connection.end(), { once: true });
}
