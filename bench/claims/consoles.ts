import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { loadConfig } from '../../server/config/config.ts';
import { sql } from '../../server/db/database.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { startService } from '../../server/start/compose.ts';
import { openState } from '../../server/start/state.ts';
import { type Bench, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers, storedVmId, storeVms } from '../customers.ts';
import { atMost, type Claim } from '../report.ts';
import { quantile } from '../statistics.ts';

const SESSIONS = 200;
/** A VM has at most 64 sessions. */
const VMS = 4;
const ROUNDS = 10;
const MESSAGE = Buffer.alloc(64, 'x');
/** KiB for both ends of a session: the service's, and those of client and guest in the same process. */
const MAXIMUM_KIB = 256;
/**
 * An additional hop through a WebSocket, compared with a bare connection: two passes through a socket become four, with
 * framing.
 */
const MAXIMUM_RATIO = 5;

export const consoles: Section = {
  name: 'consoles',
  about: `${SESSIONS} console sessions at once`,
  async run(bench) {
    return measure(bench);
  },
};

/** One end of an echo, over any transport. */
interface Line {
  send(): void;
  /** Resolves when the echo has arrived. */
  heard(): Promise<unknown>;
}

async function echoingGuest() {
  const server = createServer((socket) =>
    socket
      .setNoDelay()
      .on('error', () => {})
      .pipe(socket),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const openSsh = async (): Promise<Duplex> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
    await once(
      socket.on('error', () => {}),
      'connect',
    );
    return socket;
  };
  return { server, openSsh };
}

/** The service runs in this process, so that its driver can be an echo and only the relay is measured. */
async function measure(bench: Bench): Promise<Claim[]> {
  const place = await makePlace(bench, bench.engines.at(-1)!);
  const key = await prepare(place, async (db) => {
    const [customer] = await makeCustomers(db, 1);
    await storeVms(db, customer!.accountId, 0, VMS);
    await db.query(sql`update vms set status = 'running'`);
    return customer!.keys[0]!;
  });
  const limits = { VAUBAN_RATE_LIMIT_KEY: '100000', VAUBAN_RATE_LIMIT_ACCOUNT: '100000' };
  const config = loadConfig({ VAUBAN_LISTEN: '127.0.0.1:0', ...limits, ...place });
  const service = await startService(config, await openState(config), {
    logger: createLogger({ logLevel: 'silent' }),
  });
  const guest = await echoingGuest();
  Object.assign(service.services.compute, { openSsh: guest.openSsh });
  const direct = await Promise.all(Array.from({ length: SESSIONS }, guest.openSsh));
  const before = resident();
  const sockets: WebSocket[] = [];
  for (let n = 0; n < SESSIONS; n++) sockets.push(await openSession(service.address, key, n % VMS));
  const relayed = sockets.map(
    (ws): Line => ({ send: () => ws.send(MESSAGE), heard: () => once(ws, 'message') }),
  );
  const bare = direct.map(
    (stream): Line => ({
      send: () => stream.write(MESSAGE),
      heard: () => once(stream, 'data'),
    }),
  );
  await roundTrips(relayed);
  const kib = (resident() - before) / 1024 / SESSIONS;
  const [through, beside] = [await roundTrips(relayed), await roundTrips(bare)];
  for (const ws of sockets) ws.terminate();
  for (const stream of direct) stream.destroy();
  guest.server.close();
  await service.stop();
  const detail = `p50 ${through.toFixed(3)} ms through the service, ${beside.toFixed(3)} ms directly`;
  return [
    atMost(`memory of a console session, both ends`, MAXIMUM_KIB, kib, 'KiB', `${SESSIONS} sessions`),
    atMost('latency of a console session', MAXIMUM_RATIO, through / beside, '×', detail),
  ];
}

async function openSession(address: string, key: string, vm: number): Promise<WebSocket> {
  const reply = await fetch(`${address}/v1/vm/${storedVmId(vm)}/ssh-token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await reply.json()) as { data: { ws_url: string; token: string } };
  const ws = new WebSocket(data.ws_url, ['vauban.ssh.raw', data.token], { perMessageDeflate: false });
  await once(ws, 'open');
  return ws;
}

/** Returns the median time of an echo in milliseconds, one line after another while the others stay open. */
async function roundTrips(lines: Line[]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { send, heard } of lines) {
      const startedAt = performance.now();
      const echo = heard();
      send();
      await echo;
      times.push(performance.now() - startedAt);
    }
  }
  return quantile(times, 0.5);
}

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
