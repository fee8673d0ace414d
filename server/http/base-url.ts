import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';

/**
 * Returns the address at which the caller reached the service: `VAUBAN_PUBLIC_URL`, otherwise the address in the
 * request as seen through trusted proxies.
 */
export function baseUrl(config: Config, request: FastifyRequest): string {
  return config.publicUrl ?? `${request.protocol}://${request.host}`;
}

/**
 * Returns the address at which people open the panel: `VAUBAN_PUBLIC_URL`, otherwise the listening address. For
 * loopback and all-addresses listeners, that is `localhost`, because browsers store passkeys for names, not for IP
 * addresses.
 */
export function browserUrl({ publicUrl }: Config, listening: string): string {
  if (publicUrl !== undefined) return publicUrl;
  const url = new URL(listening);
  if (LOCAL_HOSTS.includes(url.hostname)) url.hostname = 'localhost';
  return url.origin;
}

const LOCAL_HOSTS = ['127.0.0.1', '[::1]', '0.0.0.0', '[::]'];

/** Returns the WebSocket address of a path: `http` becomes `ws`, `https` becomes `wss`. */
export function webSocketUrl(base: string, path: string): string {
  return base.replace(/^http/, 'ws') + path;
}

/**
 * Returns true if a browser's `Origin` may open consoles: this service, or one of `VAUBAN_CONSOLE_ORIGINS`. Programs
 * send no `Origin` and are always allowed.
 */
export function isAllowedOrigin(config: Config, request: FastifyRequest): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return true;
  if (config.consoleOrigins.includes(origin)) return true;
  const given = URL.parse(origin);
  const own = URL.parse(baseUrl(config, request));
  // Compares hosts only: behind a proxy that terminates TLS without telling the service, the schemes differ.
  return given !== null && own !== null && given.host === own.host;
}
