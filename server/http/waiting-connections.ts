import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';

/**
 * Maximum number of one network's connections that the service waits for: idle ones, and those with an incomplete
 * request. More than the requests that all keys of three accounts may send in a minute, each on a separate
 * connection, and few enough that half-sent requests cost a node only some megabytes.
 */
export const MAX_WAITING = 1_024;

/**
 * Bounds the number of waiting connections of each network. Beyond the bound, the one that has waited longest is
 * closed, so a request that is sent at once is answered whatever others at its address leave half-sent. `isProxy`
 * identifies addresses that stand for many clients and enforce their own bounds.
 */
export function boundWaitingConnections(
  server: Server,
  isProxy: (ip: string) => boolean,
  maximum = MAX_WAITING,
): void {
  /** By network, longest waiting first. */
  const waiting = new Map<string, Set<Socket>>();

  const begin = (socket: Socket) => {
    const network = networkOf(socket);
    if (network === undefined || socket.destroyed) return;
    const same = waiting.get(network) ?? new Set();
    waiting.set(network, same.add(socket));
    if (same.size <= maximum) return;
    const [oldest] = same;
    end(oldest!, network);
    oldest!.destroy();
  };
  const end = (socket: Socket, network = networkOf(socket)) => {
    const same = network === undefined ? undefined : waiting.get(network);
    if (same?.delete(socket) && same.size === 0) waiting.delete(network!);
  };
  /** Kept, because a closed socket no longer has an address. */
  const networks = new WeakMap<Socket, string>();
  const networkOf = (socket: Socket): string | undefined => {
    const known = networks.get(socket);
    if (known !== undefined || socket.remoteAddress === undefined) return known;
    const ip = normalizeIp(socket.remoteAddress);
    if (isProxy(ip)) return undefined;
    const network = clientNetwork(ip);
    networks.set(socket, network);
    return network;
  };

  server.on('connection', (socket: Socket) => {
    begin(socket);
    socket.once('close', () => end(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    whenWhole(request, () => end(socket));
    response.once('finish', () => begin(socket));
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => end(socket));
}

/** Calls back once the whole request has arrived; at once if it has no body. */
function whenWhole(request: IncomingMessage, done: () => void): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if ((length === undefined || length === '0') && encoding === undefined) done();
  else request.once('end', done);
}
