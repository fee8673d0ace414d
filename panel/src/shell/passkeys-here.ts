export type PasskeyObstacle = 'address' | 'insecure' | 'browser';

interface Here {
  hostname: string;
  isSecure: boolean;
  hasPasskeys: boolean;
}

/**
 * Returns why passkeys cannot be used here; undefined if they can. WebAuthn requires a host name, so no IP address
 * works.
 */
export function passkeyObstacle({ hostname, isSecure, hasPasskeys }: Here): PasskeyObstacle | undefined {
  if (isIpAddress(hostname)) return 'address';
  if (!isSecure) return 'insecure';
  return hasPasskeys ? undefined : 'browser';
}

/** Returns the same URL with the host name `localhost`, if `address` is a loopback address. */
export function atLocalhost(address: string): string | undefined {
  const url = new URL(address);
  if (!url.hostname.startsWith('127.') && url.hostname !== '[::1]') return undefined;
  url.hostname = 'localhost';
  return url.href;
}

/** Returns whether a host, as browsers write it, is an IPv4 or a bracketed IPv6 address. */
const isIpAddress = (hostname: string) => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
