import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { GuestAddress } from '../driver.ts';

/**
 * In the same data centre, a guest answers within milliseconds unless its firewall drops the packets. TCP resends a
 * lost packet after one and after three seconds.
 */
const CONNECT_LIMIT_MS = 5_000;

/**
 * Opens a TCP connection to a port of a guest, over IPv4 if it has an address. Rejects if nothing listens there or
 * `signal` aborts. `began` receives the socket before it is connected.
 */
export async function connectTo(
  { id, addresses }: { id: string; addresses: readonly GuestAddress[] },
  port: number,
  signal?: AbortSignal,
  began: (socket: Socket) => void = () => {},
): Promise<Socket> {
  signal?.throwIfAborted();
  const [first] = addresses.toSorted((a, b) => a.family - b.family);
  if (!first) throw new Error(`${id} has no address`);
  const socket = connect({ host: first.address, port, noDelay: true });
  began(socket);
  const limit = AbortSignal.timeout(CONNECT_LIMIT_MS);
  try {
    await once(socket, 'connect', { signal: signal ? AbortSignal.any([signal, limit]) : limit });
    // Errors also reach the stream's reader; this handler keeps them from ending the process.
    return socket.on('error', () => {});
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw limit.aborted ? new Error('it does not answer') : error;
  }
}
