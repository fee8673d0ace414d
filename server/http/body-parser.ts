import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/errors.ts';
import { exceededBound } from '../platform/peer/json.ts';

/** Deepest nesting of a body. Ours have three levels; a deeper one only serves to exhaust a stack. */
const MAX_DEPTH = 32;
/** Values in a body. The largest of ours, a firewall rule with a hundred networks, has some hundred and ten. */
const MAX_VALUES = 1_000;

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
  requireFewValues(bytes);
  try {
    const text = utf8.decode(bytes);
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid JSON.');
  }
}

/** Refuses what would cost more to parse, to check and to take apart than any operation needs. */
function requireFewValues(bytes: Buffer): void {
  // Their length is bounded where they are received.
  const bounds = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: MAX_DEPTH, maxValues: MAX_VALUES };
  const exceeded = exceededBound(bytes, bounds);
  if (exceeded === 'maxDepth')
    throw new ApiError('invalid_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (exceeded === 'maxValues')
    throw new ApiError('body_too_large', `The body has more than ${MAX_VALUES} values.`);
}
