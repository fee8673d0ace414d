import type { Socket } from 'node:net';
import type { RateLimiter } from '../access/rate-limits.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { limitExceeded, limitHeaders } from './limit-headers.ts';
import { maxHeaderSize, STATUS_CODES } from './node-http.ts';

type ConnectionError = Error & { code?: string; rawPacket?: unknown };

/** What is wrong with what Node could not parse. */
function refusalOf({ code, rawPacket }: ConnectionError): ApiError {
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new ApiError('invalid_request', 'This is not a valid HTTP request.');
  // Both have one bound in Node: where the first line alone reaches it, that is what is too long.
  const isLine = Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, maxHeaderSize).includes('\n');
  return isLine
    ? new ApiError('uri_too_long', 'The path and query are too long.')
    : new ApiError('headers_too_large', `The headers have more than ${maxHeaderSize} bytes.`);
}

/**
 * Answers what Node could not even parse as HTTP. There is no key in it, so it counts against its network's
 * limit; the answer has all that every other one has.
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
