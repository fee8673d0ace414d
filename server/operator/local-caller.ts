import type { FastifyRequest } from 'fastify';
import { addressMatcher, normalizeIp } from '../platform/cidr.ts';

const isLoopbackNetwork = addressMatcher(['127.0.0.0/8', '::1']);
const isLoopback = (ip: string) => isLoopbackNetwork(normalizeIp(ip));

/** Headers of proxies that the service does not read. */
const UNREAD = ['forwarded', 'via', 'x-real-ip'];

/**
 * Whether a request was made on this machine. A proxy here connects from loopback for strangers, so a request that any proxy
 * has marked is local only if every hop of its `X-Forwarded-For` is, as proxies that are trusted report it
 * (`VAUBAN_TRUST_PROXY`). In doubt, a request is not local.
 */
export function isLocal({ headers, socket, ips = [] }: FastifyRequest): boolean {
  if (!socket.remoteAddress || !isLoopback(socket.remoteAddress)) return false;
  if (UNREAD.some((name) => name in headers)) return false;
  const isForwarded = Object.keys(headers).some((name) => name.startsWith('x-forwarded'));
  // The first address is the proxy's. Alone, it means that the proxy is not trusted or has named no client.
  return !isForwarded || (ips.length > 1 && ips.every(isLoopback));
}
