import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { NetworkGuest } from '../network.ts';

/** A guest on the same host answers within milliseconds, or its port is filtered inside it. */
const CONNECT_LIMIT_MS = 5_000;

/** A TCP connection from this host to a port of a guest, past the guest's firewall rules, which stand in others' way. */
export async function connectTo(guest: NetworkGuest, port: number): Promise<Duplex> {
  const [first] = guest.addresses.toSorted((a, b) => a.family - b.family);
  if (!first) throw new Error(`${guest.id} has no address`);
  const socket = connect({ host: first.address, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
}
