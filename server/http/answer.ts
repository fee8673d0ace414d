import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable, Transaction } from '../db/database.ts';
import { moneyRefusal } from '../db/known-books.ts';
import type { ApiError } from '../platform/errors.ts';
import { baseUrl } from './base-url.ts';
import { openQuery, sealReply } from './cursors.ts';
import type { CustomerEndpoint, Endpoint, OperatorEndpoint, PanelEndpoint } from './endpoint.ts';
import { type Operation, operationOf, rememberReply, takeOperation } from './idempotency.ts';
import type { Mount, RequestContext } from './mount.ts';
import { onRecord } from './on-record.ts';
import { type Outcome, represent, representationFor } from './representations.ts';
import type { MountedRoute } from './routes.ts';

/** A request whose caller was admitted and whose body was read. */
export interface Asked {
  request: FastifyRequest;
  reply: FastifyReply;
  requestContext: RequestContext;
  /** Aborts when the service starts to stop. */
  stopping: AbortSignal;
}

interface Invocation extends Asked {
  endpoint: CustomerEndpoint | PanelEndpoint;
  mount: Mount;
  /** Set if the inputs are malformed; thrown only after the resource was found. */
  refusal: ApiError | undefined;
  prepared: unknown;
}

/**
 * Answers a request to an endpoint of any audience, in the contract's order: stored reply, resource, validation,
 * handler. Inputs are checked before the transaction opens so that no locks are held during that; the error is reported
 * in its turn. Throws an {@link ApiError} to refuse.
 */
export async function answer(asked: Asked): Promise<unknown> {
  const { request, reply, requestContext } = asked;
  const { endpoint, mount, checks } = request.routeOptions.config as unknown as MountedRoute;
  const { db, catalog } = mount.services;
  reply.header('content-type', 'application/json; charset=utf-8');
  reply.header('cache-control', 'no-store');
  // From the original request, because a later version may fill in other defaults, and the transaction may run more
  // than once.
  const operation = operationOf(request, requestContext);
  request.body ??= {};
  // Before `prepare`, which may call a payment provider.
  const refusal =
    checks.refusal(request.query, request.body) ??
    (endpoint.money ? await moneyRefusal(db, catalog.currency) : undefined);
  if (endpoint.audience === 'operator') {
    if (refusal) throw refusal;
    return represent(reply, await runForOperator(asked, endpoint, mount), endpoint.file);
  }
  if (refusal && !endpoint.load && !operation) throw refusal;
  const prepared = refusal ? undefined : await prepare(asked, endpoint, mount);
  const invocation: Invocation = { ...asked, endpoint, mount, refusal, prepared };
  if (endpoint.representations) reply.header('vary', 'accept');
  if (endpoint.method === 'GET') return represent(reply, await run(invocation, db));
  const outcome = await db.transaction(async (tx) =>
    operation ? await runOnce(invocation, operation, tx) : await run(invocation, tx),
  );
  return typeof outcome === 'string' ? outcome : represent(reply, outcome);
}

/** Runs an operator's endpoint, on record if it changes something; the handler opens its own transactions. */
async function runForOperator(
  { request, requestContext }: Asked,
  endpoint: OperatorEndpoint,
  mount: Mount,
): Promise<Outcome> {
  const { services, prefix } = mount;
  const work = (actor: string) => handle(endpoint, request, { services, actor });
  if (endpoint.method === 'GET') return work('');
  const asked = `${request.method} ${request.url.slice(prefix.length)}`;
  const actor = await mount.actor!(requestContext, request);
  return onRecord(services, { request: asked, input: request.body, actor }, work);
}

/** Returns who calls, as `prepare`, `load` and `handle` get it. Endpoints without a caller do not use `caller`. */
const whoOf = ({ requestContext }: Asked, mount: Mount) => ({
  services: mount.services,
  caller: requestContext.caller!,
  ...mount.particulars?.(requestContext),
});

async function prepare(
  asked: Asked,
  endpoint: CustomerEndpoint | PanelEndpoint,
  mount: Mount,
): Promise<unknown> {
  const { params, body } = asked.request;
  const now = mount.services.clock.now();
  return endpoint.prepare?.({ ...whoOf(asked, mount), params, body, now } as never);
}

async function run(invocation: Invocation, db: Queryable): Promise<Outcome> {
  const { endpoint, mount, request, refusal, prepared, stopping } = invocation;
  const who = whoOf(invocation, mount);
  const { params } = request;
  const resource = endpoint.load ? await endpoint.load({ ...who, params, db } as never) : undefined;
  if (refusal) throw refusal;
  const { clock, config } = mount.services;
  return handle(endpoint, request, {
    ...who,
    resource,
    prepared,
    db,
    now: clock.now(),
    baseUrl: () => baseUrl(config, request),
    hangUp: () => hangUp(request, stopping),
    representation: representationFor(endpoint, request),
  });
}

async function runOnce(invocation: Invocation, operation: Operation, tx: Transaction): Promise<string> {
  const { endpoint, reply } = invocation;
  const { clock, secrets } = invocation.mount.services;
  const stored = await takeOperation(tx, operation, secrets);
  if (stored !== undefined) {
    reply.header('idempotent-replayed', 'true');
    return stored;
  }
  const text = JSON.stringify(await run(invocation, tx));
  const secret = endpoint.secret === true;
  await rememberReply(tx, operation, { text, secret, at: clock.now() }, secrets);
  return text;
}

/** Calls the handler with the inputs. The cursor of a list is opened for it, and the next one sealed. */
async function handle(
  endpoint: Endpoint,
  request: FastifyRequest,
  context: Record<string, unknown> & { caller?: RequestContext['caller'] },
): Promise<Outcome> {
  const params = request.params as Record<string, string>;
  const query = request.query as Record<string, unknown>;
  const list = endpoint.paginated
    ? `${context.caller?.accountId ?? ''} ${endpoint.operation} ${Object.values(params).join(' ')}`
    : undefined;
  if (list !== undefined) openQuery(list, query);
  const outcome = await endpoint.handle({ ...context, params, query, body: request.body } as never);
  return list !== undefined && 'data' in outcome ? sealReply(list, outcome) : outcome;
}

/**
 * Returns a signal for the end of the request or the service. Removes its listener from the service-wide signal when
 * the request ends.
 */
function hangUp({ raw }: FastifyRequest, stopping: AbortSignal): AbortSignal {
  const over = new AbortController();
  const end = () => {
    stopping.removeEventListener('abort', end);
    over.abort();
  };
  raw.once('close', end);
  stopping.addEventListener('abort', end);
  if (raw.destroyed || stopping.aborted) end();
  return over.signal;
}
