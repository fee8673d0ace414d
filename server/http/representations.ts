import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Endpoint, FileResult, StreamedResult } from './endpoint.ts';
import type { Result } from './operation.ts';

const JSON_TYPE = 'application/json';

/**
 * Returns the media type of the reply according to the request's `Accept`: JSON unless it prefers another one that
 * the endpoint has.
 */
export function representationFor({ representations = [] }: Endpoint, request: FastifyRequest): string {
  if (representations.length === 0) return JSON_TYPE;
  return new Negotiator(request.raw).mediaType([JSON_TYPE, ...representations]) ?? JSON_TYPE;
}

export type Outcome = Result | StreamedResult | FileResult;

/** Returns the body of the reply, after setting the headers that describe it. */
export function represent(reply: FastifyReply, outcome: Outcome): string | Readable | Buffer {
  if ('stream' in outcome) return stream(reply, outcome as StreamedResult);
  return 'file' in outcome ? file(reply, outcome as FileResult) : JSON.stringify(outcome);
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
