import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';

/**
 * Connections of one network that the service waits for: idle ones, and those on which a request has begun and not
 * ended. More than the requests that all keys of three accounts may send in a minute, each on a connection of its own;
 * few enough that half-sent requests cost a node some megabytes.
 */
export const MAX_WAITING = 1_024;

/**
 * Bounds how many connections each network may keep open without asking anything. Beyond the bound the one that waits
 * longest is closed: a request that is sent at once is answered, whatever others at its address leave half-sent.
 * `isProxy` tells the addresses that stand for many others and see to this themselves.
 */
export function boundWaitingConnections(
  server: Server,
  isProxy: (ip: string) => boolean,
  maximum = MAX_WAITING,
): void {
  /** By network, the longest waiting first. */
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
  /** Kept, because a socket that has closed has no address any more. */
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

/** Calls back once the whole request has arrived; at once where it has no body. */
function whenWhole(request: IncomingMessage, done: () => void): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if ((length === undefined || length === '0') && encoding === undefined) done();
  else request.once('end', done);
}
