import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { GuestAddress } from '../driver.ts';

/**
 * In the same data centre a guest answers within milliseconds, or its port is filtered inside it; what is lost on the way is
 * sent again after a second, and three.
 */
const CONNECT_LIMIT_MS = 5_000;

/**
 * A TCP connection to a port of a guest, by IPv4 where it has it. Rejects where nothing listens there, and when `signal`
 * aborts; `began` has the socket before it is connected.
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
    // Its errors, which its reader hears too, end nothing but itself.
    return socket.on('error', () => {});
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw limit.aborted ? new Error('it does not answer') : error;
  }
}
