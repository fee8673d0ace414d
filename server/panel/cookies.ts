import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { baseUrl } from '../http/base-url.ts';

const NAME = 'vauban_session';
/** On https: no subdomain and no plain connection can set a cookie that is called so. */
const HOST_NAME = `__Host-${NAME}`;

/** The secret of the session that a request brings, from the one cookie that counts where it was sent to. */
export function sessionCookie(config: Config, request: FastifyRequest): string | undefined {
  const name = isSecure(config, request) ? HOST_NAME : NAME;
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  // Of two it cannot be said which one is ours.
  return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined;
}

/** The header that leaves a session's secret with the browser for as long as the session can last. */
export function keepCookie(config: Config, request: FastifyRequest, token: string, seconds: number): string {
  return write(isSecure(config, request), token, seconds);
}

/** The header that takes it away again. */
export function dropCookie(config: Config, request: FastifyRequest): string {
  return write(isSecure(config, request), '', 0);
}

const write = (secure: boolean, value: string, seconds: number) =>
  `${secure ? HOST_NAME : NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

const isSecure = (config: Config, request: FastifyRequest) => baseUrl(config, request).startsWith('https://');
