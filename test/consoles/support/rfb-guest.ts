import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';

/** A screen without a picture: it greets as RFB does and echoes what it receives. */
export interface RfbGuest {
  open(): Promise<Duplex>;
  connections: ReadonlySet<Socket>;
}

export const GREETING = 'RFB 003.008\n';

export async function startRfbGuest(t: TestContext): Promise<RfbGuest> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => connections.delete(socket));
    socket.write(GREETING);
    socket.pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return {
    connections,
    async open() {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    },
  };
}
