import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';

/** Where the caller reached us: `VAUBAN_PUBLIC_URL`, else what the request was sent to, as seen through trusted proxies. */
export function baseUrl(config: Config, request: FastifyRequest): string {
  return config.publicUrl ?? `${request.protocol}://${request.host}`;
}

/**
 * Returns the address at which people open the panel: `VAUBAN_PUBLIC_URL`, else where the service listens. A service on
 * loopback or on all addresses is opened at `localhost`, because browsers keep passkeys for names, not for IP addresses.
 */
export function browserUrl({ publicUrl }: Config, listening: string): string {
  if (publicUrl !== undefined) return publicUrl;
  const url = new URL(listening);
  if (LOCAL_HOSTS.includes(url.hostname)) url.hostname = 'localhost';
  return url.origin;
}

const LOCAL_HOSTS = ['127.0.0.1', '[::1]', '0.0.0.0', '[::]'];

/** The same for WebSockets: `http` becomes `ws`, `https` `wss`. */
export function webSocketUrl(base: string, path: string): string {
  return base.replace(/^http/, 'ws') + path;
}

/**
 * Whether a browser's `Origin` may open consoles: this service, or one of `VAUBAN_CONSOLE_ORIGINS`. A program sends
 * none and is no concern of this.
 */
export function isAllowedOrigin(config: Config, request: FastifyRequest): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return true;
  if (config.consoleOrigins.includes(origin)) return true;
  const given = URL.parse(origin);
  const own = URL.parse(baseUrl(config, request));
  // By host: behind a proxy that ends TLS without saying so, the schemes differ.
  return given !== null && own !== null && given.host === own.host;
}
