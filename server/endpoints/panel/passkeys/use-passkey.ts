import { createHash } from 'node:crypto';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import {
  findPasskey,
  insertChallenge,
  takeChallenge,
  touchPasskey,
} from '../../../db/queries/access/passkeys.ts';
import { findPerson } from '../../../db/queries/access/people.ts';
import type { Browser } from '../../../http/panel/browser.ts';
import type { PanelServices } from '../../../http/services.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { knownDevice } from '../shared/known-device.ts';

/** Time to find the key and touch it. */
const CHALLENGE_MS = 5 * 60_000;

/** The result of `navigator.credentials` as JSON. The library checks it, because it has many forms. */
export const PasskeyResponse = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Response of the browser, as returned by `@simplewebauthn/browser`',
  properties: {},
});
export const PasskeyOptions = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'For `@simplewebauthn/browser`',
});

/** The library, loaded on first use. */
export const webauthn = () => import('@simplewebauthn/server');

/** Counts a step of a sign-in with a passkey. A known device is counted apart from the others in its network. */
export async function countPasskeySignIn(services: PanelServices, browser: Browser): Promise<void> {
  const device = await knownDevice(services, browser);
  if (device === undefined) await services.attempts.take('sign_in_network', browser.network);
  else await services.attempts.take('passkey_device', device);
}

/** Remembers the challenge for a passkey, for one person or, if `personId` is null, for anyone who signs in. */
export async function rememberChallenge(
  { db, clock }: PanelServices,
  challenge: string,
  personId: string | null,
): Promise<void> {
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS);
  await insertChallenge(db, { hash: hashOf(challenge), personId, expiresAt });
}

/** Uses up a challenge; resolves to false if there was none, or if it was for another person. */
export function useChallenge(
  { db, clock }: PanelServices,
  challenge: string,
  personId: string | null,
): Promise<boolean> {
  return takeChallenge(db, hashOf(challenge), personId, clock.now());
}

const hashOf = (challenge: string) => createHash('sha256').update(challenge).digest();

/**
 * Returns the person whose passkey signed the challenge, or throws `sign_in_failed`. The authenticator must have
 * verified its owner with a PIN or a fingerprint, because the passkey replaces both factors.
 */
export async function usePasskey(
  services: PanelServices,
  { origin }: Browser,
  response: Record<string, unknown>,
): Promise<{ personId: string }> {
  const { db, clock, logger, realm } = services;
  const { verifyAuthenticationResponse } = await webauthn();
  const passkey = typeof response.id === 'string' ? await findPasskey(db, response.id) : undefined;
  const owner = passkey && (await findPerson(db, passkey.person_id));
  if (!passkey || owner?.realm !== realm.realm) throw failed();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: (challenge) => useChallenge(services, challenge, null),
      expectedOrigin: origin.origin,
      expectedRPID: origin.hostname,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      },
      requireUserVerification: true,
    });
    const isNewer =
      verified && (await touchPasskey(db, passkey.id, authenticationInfo.newCounter, clock.now()));
    if (isNewer) return { personId: passkey.person_id };
  } catch (error) {
    // The library throws for anything that is wrong with a response, and strangers can send any response.
    logger.info({ err: error }, 'passkey refused');
  }
  throw failed();
}

const failed = () => new ApiError('sign_in_failed', 'The passkey is unknown or was not used correctly.');
