import type { FastifyRequest } from 'fastify';
import type { RealmRules } from '../access/realms.ts';
import type { Config } from '../config/config.ts';
import { baseUrl } from '../http/base-url.ts';

/** The secret of the session that a request brings, from the one cookie that counts where it was sent to. */
export function sessionCookie(
  { cookie }: RealmRules,
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
  return write(realm, isSecure(config, request), token, realm.sessionSeconds);
}

/** The header that takes it away again. */
export function dropCookie(realm: RealmRules, config: Config, request: FastifyRequest): string {
  return write(realm, isSecure(config, request), '', 0);
}

function write({ cookie }: RealmRules, secure: boolean, value: string, seconds: number): string {
  const { name, secureName, path, sameSite } = cookie;
  const bounds = `Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}`;
  return `${secure ? secureName : name}=${value}; ${bounds}${secure ? '; Secure' : ''}`;
}

const isSecure = (config: Config, request: FastifyRequest) => baseUrl(config, request).startsWith('https://');
