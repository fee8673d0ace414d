// A process inside a namespace that opens real sockets for the test that started it.
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Arrival, Request } from './agent-protocol.ts';

const datagrams = new Map<number, Datagrams>();
const servers = new Map<number, Server>();
const sockets: Socket[] = [];

const tell = (arrival: Arrival) => process.send?.({ arrival });

const handlers: { [K in Request['do']]: (request: Extract<Request, { do: K }>) => Promise<unknown> } = {
  listenUdp: ({ port, family }) =>
    new Promise((resolve) => {
      const socket = createSocket({ type: family === 6 ? 'udp6' : 'udp4', ipv6Only: family === 6 });
      datagrams.set(family * 100_000 + port, socket);
      socket.on('message', (_, { address }) => tell({ port, from: address }));
      socket.bind(port, () => resolve(null));
    }),
  listenTcp: ({ port }) =>
    new Promise((resolve) => {
      const server = createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => {}).on('data', (bytes) => socket.write(bytes));
        tell({ port, from: socket.remoteAddress!.replace(/^::ffff:/, '') });
      });
      servers.set(port, server);
      server.listen(port, '::', () => resolve(null));
    }),
  /** Through one socket, so that all packets belong to one flow. */
  sendUdp: async ({ host, port, count }) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    for (let i = 0; i < count; i++) {
      await new Promise<void>((resolve) => socket.send('x', port, host, () => resolve()));
    }
    socket.close();
    return null;
  },
  /** From an IPv4 port that it listens on, so that all packets belong to one flow as long as it exists. */
  sendFrom: ({ from, host, port }) =>
    new Promise((resolve) => datagrams.get(400_000 + from)!.send('x', port, host, () => resolve(null))),
  /** A new socket for each packet, so that each is a new flow. */
  sendFlows: async ({ host, port, count }) => {
    for (let i = 0; i < count; i++) {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      await new Promise<void>((resolve) => socket.send('x', port, host, () => resolve()));
      socket.close();
    }
    return null;
  },
  dial: async ({ host, port }) => {
    const socket = connect({ host, port });
    sockets.push(socket);
    socket.on('error', () => {});
    return sockets.length - 1;
  },
  /** Waits until a dialled connection is open and returns what it echoes. */
  echo: ({ socket: index, text }) =>
    new Promise((resolve, reject) => {
      const socket = sockets[index]!;
      if (socket.destroyed) return reject(new Error('refused'));
      socket.once('error', reject);
      socket.once('data', (bytes) => resolve(bytes.toString()));
      socket.write(text);
    }),
  isOpen: async ({ socket: index }) => {
    const socket = sockets[index]!;
    return !socket.connecting && !socket.destroyed;
  },
};

process.on('message', async ({ id, request }: { id: number; request: Request }) => {
  try {
    process.send?.({ id, result: await handlers[request.do](request as never) });
  } catch (error) {
    process.send?.({ id, error: (error as Error).message });
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, result: null });
