import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CustomerEndpoint, FileContent, FileResult, PanelEndpoint, StreamedResult } from './endpoint.ts';
import type { Result } from './operation.ts';

const JSON_TYPE = 'application/json';

/**
 * Returns the media type of the reply according to the request's `Accept`: JSON unless it prefers another one that
 * the endpoint has.
 */
export function representationFor(
  { representations = [] }: CustomerEndpoint | PanelEndpoint,
  request: FastifyRequest,
): string {
  if (representations.length === 0) return JSON_TYPE;
  return new Negotiator(request.raw).mediaType([JSON_TYPE, ...representations]) ?? JSON_TYPE;
}

export type Outcome = Result | StreamedResult | FileResult | FileContent;

/**
 * Returns the body of the reply, after setting the headers that describe it. `fileType` is the media type of a file of
 * any length.
 */
export function represent(
  reply: FastifyReply,
  outcome: Outcome,
  fileType?: string,
): string | Readable | Buffer {
  if ('stream' in outcome) return stream(reply, outcome as StreamedResult);
  if ('file' in outcome) return file(reply, outcome as FileResult);
  if (!('content' in outcome)) return JSON.stringify(outcome);
  reply.header('content-type', fileType!);
  return Readable.from(inChunks((outcome as FileContent).content), { objectMode: false });
}

/** Until here a refusal was an ordinary reply; from now on errors are reported as events. */
function stream(reply: FastifyReply, outcome: StreamedResult): Readable {
  reply.header('content-type', 'text/event-stream; charset=utf-8');
  // Asks proxies that support it not to buffer events.
  reply.header('x-accel-buffering', 'no');
  return outcome.stream();
}

function file(reply: FastifyReply, { file: { bytes, type, name } }: FileResult): Buffer {
  reply.header('content-type', type);
  reply.header('content-disposition', `attachment; filename="${name}"`);
  return bytes;
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
