import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiError } from '../platform/errors.ts';
import { ServerResponse } from './node-http.ts';
import { normalizeTarget } from './request-target.ts';

/** Everything outside these paths is an ordinary request, whatever its `Upgrade` header asks for. */
const UPGRADABLE = /^\/(console|share)\//;

/** Whether a request is a WebSocket's; Node asks this before it hands the connection over. */
export function isWebSocketRequest({ url = '', headers }: IncomingMessage): boolean {
  return (
    UPGRADABLE.test(normalizeTarget(url, headers.host) ?? '') &&
    headers.upgrade?.toLowerCase() === 'websocket'
  );
}

/** The subprotocols that a client offers, in its order. */
export function offeredProtocols(request: IncomingMessage): string[] {
  const header = request.headers['sec-websocket-protocol'];
  return header ? header.split(',').map((name) => name.trim()) : [];
}

export interface UpgradeOptions {
  /** Subprotocols that are taken; a client offers one of them. */
  protocols: readonly string[];
  /** Largest message taken from a client. */
  maxPayload: number;
}

/**
 * Turns requests into WebSockets, once their route has let them in: until then they are ordinary requests of the
 * one HTTP server, with its ids, its proxies and its way to refuse.
 */
export class Upgrades {
  readonly #heads = new WeakMap<IncomingMessage, Buffer>();
  readonly #server: WebSocketServer;

  constructor(app: FastifyInstance, { protocols, maxPayload }: UpgradeOptions) {
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload,
      // What is carried is compressed, encrypted or small, and compressing costs memory for each connection.
      perMessageDeflate: false,
      // One message of each connection in a turn of the event loop: a flood that was read at once holds up no request.
      allowSynchronousEvents: false,
      // Pings are answered by who counts them.
      autoPong: false,
      // A browser gives up where it offered names and none comes back; the secret stands in for one, it is used up.
      handleProtocols: (offered) => protocols.find((name) => offered.has(name)) ?? [...offered][0]!,
    });
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#heads.set(request, head);
      const response = new ServerResponse(request);
      // A refusal is the last thing that is said here.
      response.shouldKeepAlive = false;
      response.assignSocket(socket as Parameters<typeof response.assignSocket>[0]);
      response.once('finish', () => socket.end());
      socket.on('error', () => socket.destroy());
      app.routing(request, response);
    });
  }

  /** Throws where a route of ours was asked for an ordinary reply. */
  requireUpgrade(request: FastifyRequest): void {
    if (this.#heads.has(request.raw)) return;
    throw new ApiError('invalid_request', 'This address speaks WebSocket only.');
  }

  /** Completes the upgrade and gives the WebSocket to `serve`, at once; Fastify is done with the request. */
  accept(request: FastifyRequest, reply: FastifyReply, serve: (ws: WebSocket) => void): void {
    const { socket } = request.raw;
    reply.hijack();
    reply.raw.detachSocket(socket);
    this.#server.handleUpgrade(request.raw, socket, this.#heads.get(request.raw)!, serve);
  }
}
