import type { FastifyInstance, FastifyReply } from 'fastify';
import { LocalLimitStore, RateLimiter, WINDOW_SECONDS } from '../access/rate-limits.ts';
import type { Database } from '../db/database.ts';
import { moneyRefusal } from '../db/known-books.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { RouteConfig } from '../http/pipeline.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Logger } from '../platform/logging.ts';
import { parseJson } from '../platform/peer/json.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { Payments } from './payments.ts';
import { isSigned } from './stripe/signature.ts';
import { receiveEvent } from './stripe/webhook.ts';

/** Limit of an event: Stripe's largest have about ten thousand bytes. */
const BODY_LIMIT = 128 * 1024;
/** Events per minute from one network without a valid signature: Stripe has a handful of addresses, and signs. */
const UNSIGNED_A_MINUTE = 60;
/** Signed events processed at once on this node; Stripe sends the others again. */
const AT_ONCE = 8;

export interface WebhookServices {
  catalog: Pick<Catalog, 'currency'>;
  clock: Clock;
  db: Database;
  logger: Logger;
  payments: Payments;
  secrets: SecretBox;
}

const config: RouteConfig = { open: true, unlimited: true };

/** Registers the route for Stripe's events; it does not exist if Stripe is not offered. */
export function registerWebhooks(
  app: FastifyInstance,
  { catalog, clock, db, logger, payments, secrets }: WebhookServices,
): void {
  const { stripe } = payments;
  if (!stripe) return;
  const parts = { api: stripe.api, clock, db, logger, secrets };
  const unsigned = new RateLimiter(
    { key: 0, account: 0, ip: UNSIGNED_A_MINUTE, open: 0 },
    new LocalLimitStore(0),
    clock,
  );
  let running = 0;
  // In its own context, because the signature covers the original bytes.
  app.register(async (context) => {
    context.removeAllContentTypeParsers();
    context.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
    // Runs before the body is read.
    context.addHook('onRequest', async (request, reply) => {
      if (unsigned.isIpSpent(networkOf(request))) throw tooMany(reply);
    });
    context.post('/webhooks/stripe', { config, bodyLimit: BODY_LIMIT }, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      if (!isSigned(body, request.headers['stripe-signature'], stripe.webhookSecret, clock.now())) {
        unsigned.takeIp(networkOf(request));
        throw new ApiError('invalid_request', 'The signature is missing, wrong or too old.');
      }
      // Stripe sends the event again, for days.
      const paused = await moneyRefusal(db, catalog.currency);
      if (paused) throw paused;
      if (running >= AT_ONCE) throw tooMany(reply);
      running++;
      try {
        await receiveEvent(parts, parse(body));
      } finally {
        running--;
      }
      reply.header('cache-control', 'no-store');
      return { data: { received: true } };
    });
  });
}

const networkOf = ({ ip }: { ip: string }) => clientNetwork(normalizeIp(ip));

function tooMany(reply: FastifyReply): ApiError {
  reply.header('retry-after', WINDOW_SECONDS);
  return new ApiError('rate_limit_exceeded', 'Too many requests.');
}

function parse(body: Buffer): unknown {
  try {
    return parseJson(body, 'Stripe');
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid JSON.');
  }
}
