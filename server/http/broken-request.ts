import type { Socket } from 'node:net';
import type { RateLimiter } from '../access/rate-limits.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { limitExceeded, limitHeaders } from './limit-headers.ts';
import { maxHeaderSize, STATUS_CODES } from './node-http.ts';

type ConnectionError = Error & { code?: string; rawPacket?: unknown };

/** Returns the refusal for a request that Node could not parse. */
function refusalOf({ code, rawPacket }: ConnectionError): ApiError {
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new ApiError('invalid_request', 'This is not a valid HTTP request.');
  // Node has one bound for the request line and the headers: if the first line reaches it, that line is too long.
  const isLine = Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, maxHeaderSize).includes('\n');
  return isLine
    ? new ApiError('uri_too_long', 'The path and query are too long.')
    : new ApiError('headers_too_large', `The headers have more than ${maxHeaderSize} bytes.`);
}

/**
 * Answers requests that Node could not parse as HTTP. They have no key, so they count against the limit of their
 * network; the answer has the same headers as every other one.
 */
export function refuseBrokenRequests(limiter: RateLimiter, clock: Clock) {
  return (error: ConnectionError, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const now = clock.now();
    const limit = limiter.takeIp(clientNetwork(normalizeIp(socket.remoteAddress ?? '')));
    const refusal = limit.allowed ? refusalOf(error) : limitExceeded(limit, now);
    const body = JSON.stringify(refusal.toBody());
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': newId('req', clock),
      connection: 'close',
      ...limitHeaders(limit, now),
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`,
    );
  };
}
