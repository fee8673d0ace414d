import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/errors.ts';

/** Deepest nesting of a body. Ours have three levels; a deeper one only serves to exhaust a stack. */
const MAX_DEPTH = 32;

/** Strict, where the usual way of reading replaces what is no UTF-8 and lets it pass as other text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON is the only media type; an empty body is no body. */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseBody(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseBody(bytes: Buffer): unknown {
  let body: unknown;
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === '') return undefined;
    body = JSON.parse(text);
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid JSON.');
  }
  if (isDeeperThan(body, MAX_DEPTH))
    throw new ApiError('invalid_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  return body;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(member, depth - 1));
}
