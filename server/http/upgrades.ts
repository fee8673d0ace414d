import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiError } from '../platform/errors.ts';
import { ServerResponse } from './node-http.ts';
import { normalizeTarget } from './request-target.ts';

/** Everything outside these paths is an ordinary request, whatever its `Upgrade` header asks for. */
const UPGRADABLE = /^\/(console|share)\//;

/** Returns true if a request is for a WebSocket; Node calls this before it hands over the connection. */
export function isWebSocketRequest({ url = '', headers }: IncomingMessage): boolean {
  return (
    UPGRADABLE.test(normalizeTarget(url, headers.host) ?? '') &&
    headers.upgrade?.toLowerCase() === 'websocket'
  );
}

/** Returns the subprotocols that a client offers, in its order. */
export function offeredProtocols(request: IncomingMessage): string[] {
  const header = request.headers['sec-websocket-protocol'];
  return header ? header.split(',').map((name) => name.trim()) : [];
}

export interface UpgradeOptions {
  /** Accepted subprotocols, one of which a client must offer. */
  protocols: readonly string[];
  /** Maximum size of a client's message in bytes. */
  maxPayload: number;
}

/**
 * Turns requests into WebSockets once their route has admitted them: until then they are ordinary requests of the one
 * HTTP server, with its request ids, proxies and refusals.
 */
export class Upgrades {
  readonly #heads = new WeakMap<IncomingMessage, Buffer>();
  readonly #server: WebSocketServer;

  constructor(app: FastifyInstance, { protocols, maxPayload }: UpgradeOptions) {
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload,
      // The content is compressed, encrypted or small, and compression costs memory for each connection.
      perMessageDeflate: false,
      // Reads one message of each connection per turn of the event loop, so that a flood of messages does not delay
      // other requests.
      allowSynchronousEvents: false,
      // Pings are answered by the code that counts them.
      autoPong: false,
      // A browser fails if it offered names and none is returned. The secret may be returned: it is used up.
      handleProtocols: (offered) => protocols.find((name) => offered.has(name)) ?? [...offered][0]!,
    });
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#heads.set(request, head);
      const response = new ServerResponse(request);
      // A refusal is the last thing sent on this connection.
      response.shouldKeepAlive = false;
      response.assignSocket(socket as Parameters<typeof response.assignSocket>[0]);
      response.once('finish', () => socket.end());
      socket.on('error', () => socket.destroy());
      app.routing(request, response);
    });
  }

  /** Throws if an ordinary request was sent to a WebSocket route. */
  requireUpgrade(request: FastifyRequest): void {
    if (this.#heads.has(request.raw)) return;
    throw new ApiError('invalid_request', 'This address only accepts WebSocket connections.');
  }

  /** Completes the upgrade and immediately passes the WebSocket to `serve`; Fastify is done with the request. */
  accept(request: FastifyRequest, reply: FastifyReply, serve: (ws: WebSocket) => void): void {
    const { socket } = request.raw;
    reply.hijack();
    reply.raw.detachSocket(socket);
    this.#server.handleUpgrade(request.raw, socket, this.#heads.get(request.raw)!, serve);
  }
}
