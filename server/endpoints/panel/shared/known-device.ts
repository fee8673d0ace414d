import { DEVICE_DAYS, MOST_DEVICES, MOST_PEOPLE } from '../../../access/realms.ts';
import { generateToken, hashToken, isIssuedToken } from '../../../access/secret-token.ts';
import type { Queryable, Transaction } from '../../../db/database.ts';
import {
  deleteKnownDevicesBeyond,
  findKnownDevices,
  insertKnownDevice,
  type KnownDeviceRow,
  touchKnownDevice,
} from '../../../db/queries/access/known-devices.ts';
import { emailKey } from '../../../db/queries/access/people.ts';
import type { Browser } from '../../../http/panel/browser.ts';
import type { PanelServices } from '../../../http/services.ts';
import { newId } from '../../../platform/ids.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the id of the device on which the person with this address, as typed, is known to have signed in; undefined
 * for an unknown device.
 */
export async function knownDeviceFor(
  services: PanelServices,
  browser: Browser,
  email: string,
): Promise<string | undefined> {
  const key = emailKey(email);
  const devices = await devicesOf(services.db, services, browser);
  return devices.find(({ email_key }) => email_key === key)?.id;
}

/** Returns the id of the known device of a person who has entered their password; undefined for an unknown device. */
export async function knownDeviceOf(
  services: PanelServices,
  browser: Browser,
  personId: string,
): Promise<string | undefined> {
  const devices = await devicesOf(services.db, services, browser);
  return devices.find(({ person_id }) => person_id === personId)?.id;
}

/**
 * Returns the id of a device that anyone has signed in on, for sign-ins with a passkey, which do not say in advance who
 * signs in.
 */
export async function knownDevice(services: PanelServices, browser: Browser): Promise<string | undefined> {
  const [first] = await devicesOf(services.db, services, browser);
  return first?.id;
}

/**
 * Makes the browser a known device of a person, who is locked and has just proved their identity. It gets a new secret
 * unless the secret is theirs already: a secret that someone else may have planted is never promoted.
 */
export async function rememberDevice(
  tx: Transaction,
  services: PanelServices,
  browser: Browser,
  personId: string,
): Promise<void> {
  const { clock, secrets } = services;
  const now = clock.now();
  const devices = await devicesOf(tx, services, browser);
  const theirs = devices.find(({ person_id }) => person_id === personId);
  const others = issuedTokens(services, browser).filter((token) =>
    devices.some(({ person_id, hash }) => person_id !== personId && hashOf(token) === hash),
  );
  let token = issuedTokens(services, browser).find((one) => theirs && hashOf(one) === theirs.hash);
  if (theirs && token) {
    await touchKnownDevice(tx, theirs.id, now);
  } else {
    token = generateToken(secrets);
    await insertKnownDevice(tx, { id: newId('dev', clock), personId, hash: hashToken(token), now });
    await deleteKnownDevicesBeyond(tx, personId, MOST_DEVICES);
  }
  browser.keepDevice(tx, [token, ...others].slice(0, MOST_PEOPLE));
}

/** Queries the database only about secrets that this installation has issued, so that invented ones cause no load. */
async function devicesOf(
  db: Queryable,
  services: PanelServices,
  browser: Browser,
): Promise<KnownDeviceRow[]> {
  const hashes = issuedTokens(services, browser).map(hashOf);
  if (hashes.length === 0) return [];
  const since = new Date(services.clock.now().getTime() - DEVICE_DAYS * DAY_MS);
  return findKnownDevices(db, hashes, { realm: services.realm.realm, since });
}

const hashOf = (token: string) => hashToken(token).toString('hex');

const issuedTokens = ({ secrets }: PanelServices, browser: Browser): string[] =>
  browser.deviceTokens().filter((token) => isIssuedToken(token, secrets));
