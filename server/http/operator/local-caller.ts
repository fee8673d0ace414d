import type { FastifyRequest } from 'fastify';
import { addressMatcher, normalizeIp } from '../../platform/cidr.ts';

const isLoopbackNetwork = addressMatcher(['127.0.0.0/8', '::1']);
const isLoopback = (ip: string) => isLoopbackNetwork(normalizeIp(ip));

/** Proxy headers that the service does not interpret. */
const UNREAD = ['forwarded', 'via', 'x-real-ip'];

/**
 * Returns whether a request was made on this machine. A proxy here connects from loopback on behalf of strangers, so a
 * request marked by any proxy is local only if every hop of its `X-Forwarded-For` is, as reported by trusted proxies
 * (`VAUBAN_TRUST_PROXY`). If in doubt, a request is not local.
 */
export function isLocal({ headers, socket, ips = [] }: FastifyRequest): boolean {
  if (!socket.remoteAddress || !isLoopback(socket.remoteAddress)) return false;
  if (UNREAD.some((name) => name in headers)) return false;
  const isForwarded = Object.keys(headers).some((name) => name.startsWith('x-forwarded'));
  // The first address is the proxy's. If it is the only one, the proxy is not trusted or named no client.
  return !isForwarded || (ips.length > 1 && ips.every(isLoopback));
}
