import type { Socket } from 'node:net';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { RateLimiter } from '../platform/rate-limits.ts';
import { limitExceeded, limitHeaders } from './limit-headers.ts';
import { STATUS_CODES } from './node-http.ts';

type ConnectionError = Error & { code?: string };

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
    const refusal = limit.allowed
      ? new ApiError('invalid_request', 'This is not a valid HTTP request.')
      : limitExceeded(limit, now);
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
