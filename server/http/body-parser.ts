import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/errors.ts';
import { exceededBound } from '../platform/peer/json.ts';

/** Maximum nesting of a body. Valid bodies have three levels; a deeper one only serves to exhaust the stack. */
const MAX_DEPTH = 32;
/**
 * Maximum number of values in a body. The largest valid one, a firewall rule with a hundred networks, has about 110.
 */
const MAX_VALUES = 1_000;

/** Strict, because the usual decoding replaces invalid UTF-8, which then passes as different text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Accepts JSON as the only media type; an empty body counts as none. */
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
  requireFewValues(bytes);
  try {
    const text = utf8.decode(bytes);
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid JSON.');
  }
}

/** Refuses bodies that would cost more to parse and check than any operation needs. */
function requireFewValues(bytes: Buffer): void {
  // The length is bounded on receipt.
  const bounds = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: MAX_DEPTH, maxValues: MAX_VALUES };
  const exceeded = exceededBound(bytes, bounds);
  if (exceeded === 'maxDepth')
    throw new ApiError('invalid_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (exceeded === 'maxValues')
    throw new ApiError('body_too_large', `The body has more than ${MAX_VALUES} values.`);
}
