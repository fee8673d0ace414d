import type { FastifyRequest } from 'fastify';
import { DEVICE_DAYS, MOST_PEOPLE, type RealmRules } from '../access/realms.ts';
import type { Config } from '../config/config.ts';
import { baseUrl } from '../http/base-url.ts';

/** The secret of the session that a request brings, from the one cookie that counts where it was sent to. */
export function sessionCookie(
  { cookie }: RealmRules,
  config: Config,
  request: FastifyRequest,
): string | undefined {
  return read(cookie, config, request);
}

/** The secrets by which the browser of a request is known, as they were left with it. */
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
  // Of two it cannot be said which one is ours.
  return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined;
}

/** The header that leaves a session's secret with the browser for as long as the session can last. */
export function keepCookie(
  realm: RealmRules,
  config: Config,
  request: FastifyRequest,
  token: string,
): string {
  return write(realm.cookie, isSecure(config, request), token, realm.sessionSeconds);
}

/** The header that takes it away again. */
export function dropCookie(realm: RealmRules, config: Config, request: FastifyRequest): string {
  return write(realm.cookie, isSecure(config, request), '', 0);
}

/** The header that leaves the secrets of a known device with the browser; only requests of our own pages bring them. */
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
