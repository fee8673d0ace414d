import type { FastifyRequest } from 'fastify';
import { DEVICE_DAYS, MOST_PEOPLE, type RealmRules } from '../../access/realms.ts';
import type { Config } from '../../config/config.ts';
import { baseUrl } from '../base-url.ts';

/** Returns the session secret of a request, from the one cookie that counts for its scheme. */
export function sessionCookie(
  { cookie }: RealmRules,
  config: Config,
  request: FastifyRequest,
): string | undefined {
  return read(cookie, config, request);
}

/** Returns the secrets of known devices in a request's cookie. */
export function deviceTokens(
  { deviceCookie }: RealmRules,
  config: Config,
  request: FastifyRequest,
): string[] {
  const value = read(deviceCookie, config, request) ?? '';
  return value.split('.', MOST_PEOPLE).filter((token) => token !== '');
}

function read(
  cookie: { name: string; secureName: string },
  config: Config,
  request: FastifyRequest,
): string | undefined {
  const name = isSecure(config, request) ? cookie.secureName : cookie.name;
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  // If there are two, it is unknown which one is ours.
  return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined;
}

/** Returns the header that stores a session's secret in the browser for the maximum length of the session. */
export function keepCookie(
  realm: RealmRules,
  config: Config,
  request: FastifyRequest,
  token: string,
): string {
  return write(realm.cookie, isSecure(config, request), token, realm.sessionSeconds);
}

export function dropCookie(realm: RealmRules, config: Config, request: FastifyRequest): string {
  return write(realm.cookie, isSecure(config, request), '', 0);
}

/**
 * Returns the header that stores the secrets of a known device in the browser; only requests from our own pages send
 * them.
 */
export function keepDeviceCookie(
  { cookie: { path }, deviceCookie }: RealmRules,
  config: Config,
  request: FastifyRequest,
  tokens: readonly string[],
): string {
  const cookie = { ...deviceCookie, path, sameSite: 'Strict' as const };
  return write(cookie, isSecure(config, request), tokens.join('.'), DEVICE_DAYS * 86_400);
}

function write(cookie: RealmRules['cookie'], secure: boolean, value: string, seconds: number): string {
  const { name, secureName, path, sameSite } = cookie;
  const bounds = `Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}`;
  return `${secure ? secureName : name}=${value}; ${bounds}${secure ? '; Secure' : ''}`;
}

const isSecure = (config: Config, request: FastifyRequest) => baseUrl(config, request).startsWith('https://');
