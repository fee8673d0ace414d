import type { Realm } from '../db/queries/access/people.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** After this long without a sign-in, a person's device counts as new again. */
export const DEVICE_DAYS = 180;
/** Known devices per person; beyond it, the least recently used one is dropped. */
export const MOST_DEVICES = 10;
/** People that one browser's cookie can remember: a cookie holds at most 4 KiB. */
export const MOST_PEOPLE = 4;

export interface RealmRules {
  realm: Realm;
  cookie: {
    name: string;
    /**
     * Name over https: with this prefix, no plain connection can set the cookie, and with a path of `/`, no subdomain
     * can either.
     */
    secureName: string;
    path: string;
    sameSite: 'Lax' | 'Strict';
  };
  /**
   * Cookie that identifies a known browser after a session has ended; scripts cannot read it, because no page needs it.
   */
  deviceCookie: { name: string; secureName: string };
  /** Maximum length of a session, however much it is used. */
  sessionSeconds: number;
  /** A session ends after this long without use. */
  idleSeconds: number;
}

export const CUSTOMERS: RealmRules = {
  realm: 'customer',
  cookie: { name: 'vauban_session', secureName: '__Host-vauban_session', path: '/', sameSite: 'Lax' },
  deviceCookie: { name: 'vauban_device', secureName: '__Host-vauban_device' },
  sessionSeconds: 30 * DAY_S,
  idleSeconds: 7 * DAY_S,
};

/** A working day, and a coffee break. The cookie is only sent to the operator panel. */
export const OPERATORS: RealmRules = {
  realm: 'operator',
  cookie: {
    name: 'vauban_operator',
    secureName: '__Secure-vauban_operator',
    path: '/operator',
    sameSite: 'Strict',
  },
  deviceCookie: { name: 'vauban_operator_device', secureName: '__Secure-vauban_operator_device' },
  sessionSeconds: 12 * HOUR_S,
  idleSeconds: HOUR_S / 2,
};
