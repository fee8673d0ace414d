import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { LimitState, RateLimiter } from '../access/rate-limits.ts';
import type { TicketKind } from '../db/queries/vms/console-tickets.ts';
import { isAllowedOrigin } from '../http/base-url.ts';
import { limitExceeded, limitHeaders } from '../http/limit-headers.ts';
import type { RouteConfig } from '../http/pipeline.ts';
import { offeredProtocols, Upgrades } from '../http/upgrades.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import { ApiError, notFound } from '../platform/errors.ts';
import type { ConsoleServices } from './console-services.ts';
import type { Consoles } from './consoles.ts';
import { MAX_FRAME_BYTES } from './limits.ts';
import { Openings } from './openings.ts';
import { isSecret, type SecretPrefix, wasIssued } from './secret.ts';
import { useTicket } from './tickets.ts';

/** No API key: the secret sent with the WebSocket grants access. */
const config: RouteConfig = { open: true };
const RAW_PROTOCOL = 'vauban.ssh.raw';
/** noVNC offers `binary`. */
const PROTOCOLS = ['binary', 'vauban.ssh', RAW_PROTOCOL, 'vauban.share'];

interface ConsoleParts {
  services: ConsoleServices;
  consoles: Consoles;
  limiter: RateLimiter;
}

/**
 * Registers the WebSockets: `/console/{vm}/vnc`, `/console/{vm}/ssh` and `/share/{id}/socket`. They are outside `/v1`
 * because a ticket, not a key, opens them. A bad ticket is 404, whatever is wrong with it.
 */
export function registerSockets(app: FastifyInstance, parts: ConsoleParts): void {
  const { services, consoles } = parts;
  const upgrades = new Upgrades(app, { protocols: PROTOCOLS, maxPayload: MAX_FRAME_BYTES });
  const serve = (run: (ws: WebSocket) => Promise<void>) => (ws: WebSocket) => {
    run(ws).catch((error) => {
      services.logger.error({ err: error }, 'console failed');
      ws.terminate();
    });
  };
  for (const kind of ['vnc', 'ssh'] satisfies TicketKind[]) {
    app.get<{ Params: { vm: string } }>(`/console/:vm/${kind}`, { config }, async (request, reply) => {
      upgrades.requireUpgrade(request);
      const used = await guarded(parts, { request, reply, prefix: 'vct' }, (secret) =>
        useTicket(services, secret, { kind, vmId: request.params.vm }),
      );
      const raw = offeredProtocols(request.raw).includes(RAW_PROTOCOL) || query(request).mode === 'raw';
      upgrades.accept(
        request,
        reply as FastifyReply,
        serve((ws) => consoles.serveTicket(used, ws, raw)),
      );
    });
  }
  // A page first looks the link up and then asks for the terminal; the two are counted separately.
  const [looks, openings] = [new Openings(services.clock), new Openings(services.clock)];
  const openShare = (
    openings: Openings,
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ) =>
    guarded(parts, { request, reply, prefix: 'vcs' }, async (secret, network) => {
      const require = (state: LimitState) => state.allowed || refuse(reply, state, services.clock.now());
      require(openings.ofNetwork(network));
      const opened = await consoles.openShare(request.params.id, secret);
      require(openings.take(opened.share.id, network));
      return opened;
    });
  // Information about the link for the page. The secret is in a header, because URLs are logged.
  app.get<{ Params: { id: string } }>('/share/:id/about', { config }, async (request, reply) => {
    const { share, vm } = await openShare(looks, request, reply);
    reply.header('cache-control', 'no-store');
    return {
      data: {
        hostname: vm.hostname,
        label: share.label,
        mode: share.mode,
        expires_at: share.expires_at.toISOString(),
      },
    };
  });
  app.get<{ Params: { id: string } }>('/share/:id/socket', { config }, async (request, reply) => {
    upgrades.requireUpgrade(request);
    const opened = await openShare(openings, request, reply);
    upgrades.accept(
      request,
      reply as FastifyReply,
      serve((ws) => consoles.serveViewer(opened, ws)),
    );
  });
}

/**
 * Looks up a secret from one of our own pages or from a program. Slows down a network that guesses: once its failures
 * are used up, only secrets that this installation has issued are looked up.
 */
async function guarded<T>(
  { services, limiter }: ConsoleParts,
  { request, reply, prefix }: { request: FastifyRequest; reply: FastifyReply; prefix: SecretPrefix },
  open: (secret: string, network: string) => Promise<T>,
): Promise<T> {
  // The same answer as for a secret that opens nothing: a foreign page learns nothing, and its visitor's network is
  // not charged.
  if (!isAllowedOrigin(services.config, request)) throw notFound();
  const network = clientNetwork(normalizeIp(request.ip));
  const secret = presentedSecret(request, prefix);
  // Before the look-up, so that guesses beyond the limit are not even looked up.
  if (limiter.isIpSpent(network) && !wasIssued(secret, prefix, services.secrets))
    refuse(reply, limiter.takeIp(network), services.clock.now());
  try {
    return await open(secret, network);
  } catch (error) {
    if (error instanceof ApiError) limiter.takeIp(network);
    throw error;
  }
}

function refuse(reply: FastifyReply, state: LimitState, now: Date): never {
  reply.headers(limitHeaders(state, now));
  throw limitExceeded(state, now);
}

/**
 * Returns the secret from wherever the client could put it: a subprotocol, for browsers; a bearer token; or the
 * query, for clients that can do neither.
 */
function presentedSecret(request: FastifyRequest, prefix: SecretPrefix): string {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  const { ticket, token } = query(request);
  const places = [...offeredProtocols(request.raw), bearer, ...(prefix === 'vct' ? [ticket, token] : [])];
  return places.find((text) => text !== undefined && isSecret(text, prefix)) ?? '';
}

function query(request: FastifyRequest): Record<string, string | undefined> {
  const entries = Object.entries(request.query as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
