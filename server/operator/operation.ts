import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ComputeDriver } from '../compute/driver.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import type { Signals } from '../db/signals.ts';
import type { DocumentRenderer } from '../documents/renderer.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';
import type { EdgeDriver } from '../edge/driver.ts';
import type { OpsKeys } from '../guest-ssh/ops-keys.ts';
import { openQuery, sealReply } from '../http/cursors.ts';
import type { Result } from '../http/endpoint.ts';
import { compileChecks } from '../http/validation.ts';
import type { GuestReconciler } from '../jobs/reconcilers/reconcile-guests.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Static, TObject } from '../platform/schema.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { EdgeReconciler } from '../shield/reconcile-edge.ts';
import { onRecord } from './deeds.ts';

/** What the operator's operations need of the service. */
export interface OperatorServices {
  catalog: Catalog;
  clock: Clock;
  compute: ComputeDriver;
  config: Config;
  db: Database;
  documents: DocumentRenderer;
  edge: EdgeDriver;
  engine: string;
  guests: GuestReconciler;
  logger: Logger;
  metrics: Metrics;
  opsKeys: OpsKeys;
  secrets: SecretBox;
  queue: JobPublisher;
  shield: EdgeReconciler;
  signals: Signals;
}

type Input<S> = S extends TObject ? Static<S> : Record<string, never>;

/** What an operation is given. */
interface Asked<Q, B> {
  /** The path's only parameter; "" where it has none. */
  id: string;
  query: Input<Q>;
  body: Input<B>;
  /** Who asks, such as "root" or "anna as root"; "" where the operation only reads. */
  actor: string;
  services: OperatorServices;
}

/** One operation of the operator's API. There is no key: a process that may open the socket may do everything. */
export interface OperatorOperation<Q extends TObject | undefined, B extends TObject | undefined> {
  method: 'GET' | 'POST';
  /** With `:name` parameters. */
  path: string;
  /** Query parameters; absent means none. */
  query?: Q;
  /** Input fields; absent means that the body is none or `{}`. */
  body?: B;
  handle(asked: Asked<Q, B>): Promise<Result>;
}

/** Adds an operation to the operator's server. */
export function register<
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
>(
  app: FastifyInstance,
  services: OperatorServices,
  { method, path, query, body, handle }: OperatorOperation<Q, B>,
): void {
  const checks = compileChecks({ query, body });
  app.route<{ Params: { id?: string } }>({
    method,
    url: path,
    async handler(request, reply) {
      const given = (request.body ?? {}) as Input<B>;
      const refusal = checks.refusal(request.query, given);
      if (refusal) throw refusal;
      reply.header('cache-control', 'no-store');
      const list = request.url.split('?', 1)[0]!;
      openQuery(list, request.query as Record<string, unknown>);
      const { id = '' } = request.params;
      const work = (actor: string) =>
        handle({ id, query: request.query as Input<Q>, body: given, actor, services });
      return sealReply(list, await (method === 'GET' ? work('') : onRecord(services, request, work)));
    },
  });
}

/** A reading operation whose reply is a file, sent as it is made; one that fails midway is cut off. */
export interface OperatorFile<Q extends TObject> {
  path: string;
  query: Q;
  contentType: string;
  /** Refuses before it answers; what it answers is read no faster than it is sent. */
  handle(input: { id: string; query: Static<Q>; services: OperatorServices }): Promise<AsyncIterable<Buffer>>;
}

export function registerFile<Q extends TObject>(
  app: FastifyInstance,
  services: OperatorServices,
  { path, query, contentType, handle }: OperatorFile<Q>,
): void {
  const checks = compileChecks({ query });
  app.get<{ Params: { id?: string } }>(path, async (request, reply) => {
    const refusal = checks.refusal(request.query, {});
    if (refusal) throw refusal;
    const { id = '' } = request.params;
    const content = await handle({ id, query: request.query as Static<Q>, services });
    reply.header('cache-control', 'no-store').header('content-type', contentType);
    return reply.send(Readable.from(inChunks(content), { objectMode: false }));
  });
}

/** What is sent at once: some hundred lines. */
const CHUNK_BYTES = 64 * 1024;

async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of content) {
    pieces.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(pieces);
}
