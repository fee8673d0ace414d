import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../platform/clock.ts';

/**
 * Grace period for requests in progress when a server closes. Together with the time the other parts need, it is well
 * below the TimeoutStopSec of the service's unit.
 */
export const CLOSE_GRACE_MS = 10_000;

/**
 * Bounds the duration of `app.close()`. Node waits for every connection except those that are idle between two
 * requests, so one on which nothing was ever sent, such as a browser's preconnect, would delay the end forever. Such
 * a connection is closed at once; one with a request in progress after {@link CLOSE_GRACE_MS}.
 */
export function boundClosing(app: FastifyInstance, clock: Clock): void {
  const { server } = app;
  const open = new Set<Socket>();
  let isClosing = false;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    // The connection may be kept alive because the reply was started before closing began.
    response.once('close', () => isClosing && server.closeIdleConnections());
  });
  app.addHook('preClose', async () => {
    if (!server.listening) return;
    isClosing = true;
    const closed = new AbortController();
    server.once('close', () => closed.abort());
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    void clock.sleep(CLOSE_GRACE_MS, closed.signal).then(
      () => {
        for (const socket of open) socket.destroy();
      },
      () => {},
    );
  });
}
