import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2';
import type { SimulatedGuest } from '../model/guest.ts';
import { passwordMatches } from '../model/password.ts';
import { distributionOf } from '../system/distribution.ts';

/** As in OpenSSH: after this many failed attempts, the client must reconnect. */
export const MAX_AUTHENTICATION_TRIES = 6;
const METHODS = ['publickey', 'password'] as const;

/** Returns whether a login succeeds with the guest's current keys and passwords. */
export function mayLogIn(guest: SimulatedGuest, context: AuthContext): boolean {
  const { user } = distributionOf(guest.template);
  if (context.username !== user && context.username !== 'root') return false;
  if (context.method === 'publickey') return keyMatches(guest, context);
  if (context.method === 'password') return hasPassword(guest, context.username, context.password);
  return false;
}

/** Rejects a login attempt and lists the methods that can still be used. */
export function refuse(context: AuthContext): void {
  context.reject([...METHODS]);
}

export function hasPassword(guest: SimulatedGuest, username: string, password: string): boolean {
  const isDefault = username === distributionOf(guest.template).user;
  const set = Object.hasOwn(guest.passwords, username) ? guest.passwords[username] : undefined;
  const hash = set ?? (isDefault ? guest.initialPassword : null);
  return !!hash && passwordMatches(hash, password);
}

function keyMatches(
  guest: SimulatedGuest,
  { key, signature, blob, hashAlgo }: PublicKeyAuthContext,
): boolean {
  for (const line of guest.authorizedKeys) {
    const known = ssh2.utils.parseKey(line);
    if (known instanceof Error || !known.getPublicSSH().equals(key.data)) continue;
    // Without a signature, the client only asks whether the key would be accepted.
    return !signature || (blob !== undefined && known.verify(blob, signature, hashAlgo) === true);
  }
  return false;
}
