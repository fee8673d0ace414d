import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { moneyRefusal } from '../../db/known-books.ts';
import { openQuery, sealReply } from '../cursors.ts';
import { compileChecks, type InputChecks } from '../validation.ts';
import type { FileContent, OperatorEndpoint, OperatorServices } from './endpoint.ts';
import { type Actor, onRecord } from './on-record.ts';
import { peerOf } from './peer.ts';

export function registerEndpoints(
  app: FastifyInstance,
  services: OperatorServices,
  endpoints: readonly OperatorEndpoint[],
): void {
  for (const endpoint of endpoints) {
    const checks = compileChecks(endpoint);
    app.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) =>
        answerOperator(request, reply, {
          endpoint,
          checks,
          services,
          prefix: '',
          actor: () => peerOf(request.socket),
        }),
    });
  }
}

interface Parts {
  endpoint: OperatorEndpoint;
  checks: InputChecks;
  services: OperatorServices;
  /** Prefix of the path on this mount, omitted when the request is recorded. */
  prefix: string;
  /** Finds who acts; only called for operations that change something. */
  actor: () => Actor | Promise<Actor>;
}

/** Validates the inputs, does the work, on record if it changes something, and sends the reply. */
export async function answerOperator(
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint, checks, services, prefix, actor }: Parts,
): Promise<unknown> {
  const { params, query } = request as { params: object; query: Record<string, unknown> };
  const body = request.body ?? {};
  const refusal = checks.refusal(query, body);
  if (refusal) throw refusal;
  const paused = endpoint.money && (await moneyRefusal(services.db, services.catalog.currency));
  if (paused) throw paused;
  reply.header('cache-control', 'no-store');
  const list = request.url.split('?', 1)[0]!;
  if (endpoint.paginated) openQuery(list, query);
  const work = (name: string) => endpoint.handle({ params, query, body, actor: name, services });
  const asked = `${request.method} ${request.url.slice(prefix.length)}`;
  const outcome =
    endpoint.method === 'GET'
      ? await work('')
      : await onRecord(services, { request: asked, input: request.body, actor: await actor() }, work);
  if (!('content' in outcome)) return sealReply(list, outcome);
  reply.header('content-type', endpoint.file!);
  return Readable.from(inChunks((outcome as FileContent).content), { objectMode: false });
}

/** Amount sent at once: some hundred lines. */
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
