import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../platform/errors.ts';

/**
 * Maximum length of a request's target in characters. The longest useful one has a few hundred, with a cursor and
 * filters.
 */
const MAX_TARGET = 8 * 1024;
/** If one of these is sent twice, it is unclear which one is meant, and a proxy in front may have used the other. */
const SINGLE = ['authorization', 'host'];
/** A name, an IPv4 address, or an IPv6 address in brackets, with an optional port. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/**
 * Returns what is wrong with the form of a request, regardless of its content and account; undefined if nothing is.
 */
export function flawOf({
  url = '',
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): ApiError | undefined {
  if (url.length > MAX_TARGET)
    return new ApiError('uri_too_long', `The path and query have more than ${MAX_TARGET} characters.`);
  for (const name of SINGLE) {
    if (headers[name] !== undefined && isRepeated(rawHeaders, name))
      return new ApiError('invalid_request', `The header ${name} must be sent once.`);
  }
  if (headers.host === undefined && httpVersion !== '1.1') return undefined;
  if (headers.host === undefined)
    return new ApiError('invalid_request', 'An HTTP/1.1 request needs a Host header.');
  return HOST.test(headers.host)
    ? undefined
    : new ApiError(
        'invalid_request',
        'The Host header must be a name or an address, optionally with a port.',
      );
}

function isRepeated(rawHeaders: string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() === name) count++;
  }
  return count > 1;
}

/** Refuses a body that cannot be accepted according to its headers: too large, compressed, or in another charset. */
export function requireReadableBody({ method, headers, routeOptions }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { bodyLimit = Number.POSITIVE_INFINITY } = routeOptions;
  if (Number(headers['content-length']) > bodyLimit)
    throw new ApiError('body_too_large', 'The body is too large.');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8')
    throw new ApiError('unsupported_media_type', 'Send the body in UTF-8, the encoding of JSON.');
}
