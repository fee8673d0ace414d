import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/errors.ts';

/**
 * Visible ASCII without `#`, which begins a fragment, and without the backslash, which some proxies treat as a slash.
 */
const TARGET = /^\/[!"$-[\]-~]*$/;
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;
/**
 * Parts with more than one spelling: encoded bytes, and characters that a URI must encode but browsers sometimes do
 * not.
 */
const RESPELLED = /%[0-9a-f]{2}|["<>^`{|}]/gi;
const UNRESERVED = /^[a-z0-9._~-]$/i;
const CONTROL = /\p{Cc}/u;
/** The segments that determine the mount of an invalid target. */
const BEGINNING = /^(?:\/[a-z0-9._~-]+){0,2}/i;

/**
 * Returns the canonical spelling of a request target according to RFC 3986, 6.2.2: characters that need no encoding
 * are decoded, and hexadecimal digits are in upper case. So routes, the log, idempotency and the rules of proxies in
 * front see the same path. Returns undefined for an invalid target: a fragment, characters outside ASCII, a malformed
 * or overlong encoding, a control character in the path, or NUL, which no database stores. `host` is the request's
 * Host header, which an absolute target must repeat.
 */
export function normalizeTarget(target: string, host: string | undefined): string | undefined {
  if (target === '*') return target;
  const [beginning = '', authority] = ABSOLUTE.exec(target) ?? [];
  if (authority !== undefined && authority.toLowerCase() !== host?.toLowerCase()) return undefined;
  const rest = target.slice(beginning.length);
  const origin = authority === undefined || rest.startsWith('/') ? rest : `/${rest}`;
  return isTarget(origin) ? origin.replace(RESPELLED, respell) : undefined;
}

function isTarget(target: string): boolean {
  if (!TARGET.test(target)) return false;
  const end = target.indexOf('?');
  const [path, query] = end < 0 ? [target, ''] : [target.slice(0, end), target.slice(end)];
  try {
    return !CONTROL.test(decodeURIComponent(path)) && !decodeURIComponent(query).includes('\0');
  } catch {
    return false;
  }
}

function respell(text: string): string {
  if (!text.startsWith('%')) return `%${text.charCodeAt(0).toString(16).toUpperCase()}`;
  const character = String.fromCharCode(Number.parseInt(text.slice(1), 16));
  return UNRESERVED.test(character) ? character : text.toUpperCase();
}

const invalid = new WeakSet<IncomingMessage>();

/**
 * Fastify's `rewriteUrl`: every part of the server sees the normalized target. An invalid one becomes a path below
 * the same mount, so that its caller is asked for a key or session before {@link requireTarget} refuses it.
 */
export function rewriteTarget(request: IncomingMessage): string {
  const { url = '/', headers } = request;
  const target = normalizeTarget(url, headers.host);
  if (target !== undefined) return target;
  invalid.add(request);
  return `${BEGINNING.exec(url)?.[0] ?? ''}/(invalid)`;
}

/** Throws `invalid_request` if the request's target was invalid. */
export function requireTarget(request: IncomingMessage): void {
  if (invalid.has(request))
    throw new ApiError(
      'invalid_request',
      'The request target must be a path and a query, percent-encoded UTF-8.',
    );
}

/** Refuses invalid targets on a server without a pipeline; create that server with `rewriteUrl: rewriteTarget`. */
export function refuseInvalidTargets(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => requireTarget(raw));
}
