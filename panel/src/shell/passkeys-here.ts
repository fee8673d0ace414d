/** Why a browser can use no passkeys on this page. */
export type PasskeyObstacle = 'address' | 'insecure' | 'browser';

interface Here {
  hostname: string;
  isSecure: boolean;
  hasPasskeys: boolean;
}

/** Returns why passkeys cannot be used at a place, if so. WebAuthn binds them to a host name, so no IP address will do. */
export function passkeyObstacle({ hostname, isSecure, hasPasskeys }: Here): PasskeyObstacle | undefined {
  if (isIpAddress(hostname)) return 'address';
  if (!isSecure) return 'insecure';
  return hasPasskeys ? undefined : 'browser';
}

/** The same place by the name `localhost`, if `address` is one of this machine's own. */
export function atLocalhost(address: string): string | undefined {
  const url = new URL(address);
  if (!url.hostname.startsWith('127.') && url.hostname !== '[::1]') return undefined;
  url.hostname = 'localhost';
  return url.href;
}

/** Whether a host, as browsers write it, is an IPv4 or a bracketed IPv6 address. */
const isIpAddress = (hostname: string) => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
