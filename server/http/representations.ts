import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Endpoint, FileResult, StreamedResult } from './endpoint.ts';
import type { Result } from './operation.ts';

const JSON_TYPE = 'application/json';

/** The media type to answer in, by the request's `Accept`: JSON unless another one that the endpoint has is preferred. */
export function representationFor({ representations = [] }: Endpoint, request: FastifyRequest): string {
  if (representations.length === 0) return JSON_TYPE;
  return new Negotiator(request.raw).mediaType([JSON_TYPE, ...representations]) ?? JSON_TYPE;
}

/** What an endpoint answers. */
export type Outcome = Result | StreamedResult | FileResult;

/** The body of the reply, after the headers that say what it is. */
export function represent(reply: FastifyReply, outcome: Outcome): string | Readable | Buffer {
  if ('stream' in outcome) return stream(reply, outcome as StreamedResult);
  return 'file' in outcome ? file(reply, outcome as FileResult) : JSON.stringify(outcome);
}

/** Refusals were ordinary replies so far; from here on the events tell what goes wrong. */
function stream(reply: FastifyReply, outcome: StreamedResult): Readable {
  reply.header('content-type', 'text/event-stream; charset=utf-8');
  // Asks the proxies that know it not to hold events back.
  reply.header('x-accel-buffering', 'no');
  return outcome.stream();
}

function file(reply: FastifyReply, { file: { bytes, type, name } }: FileResult): Buffer {
  reply.header('content-type', type);
  reply.header('content-disposition', `attachment; filename="${name}"`);
  return bytes;
}
