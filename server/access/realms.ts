import type { Realm } from '../db/queries/people.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** A device that a person has not signed in on for this long is a new one again. */
export const DEVICE_DAYS = 180;
/** Known devices of one person; the one that was not used for the longest time makes way. */
export const MOST_DEVICES = 10;
/** People whom one browser's cookie knows: a cookie has 4 KiB at most. */
export const MOST_PEOPLE = 4;

/** How people of a realm sign in, and for how long. */
export interface RealmRules {
  realm: Realm;
  cookie: {
    name: string;
    /** Its name on https: by the prefix no plain connection, and at the root no subdomain, can set one that is called so. */
    secureName: string;
    path: string;
    sameSite: 'Lax' | 'Strict';
  };
  /** The cookie by which a browser is known again after a session: no page needs it, so no script reads it. */
  deviceCookie: { name: string; secureName: string };
  /** How long a session lasts at the most, however much it is used. */
  sessionSeconds: number;
  /** Unused for so long, it is over. */
  idleSeconds: number;
}

export const CUSTOMERS: RealmRules = {
  realm: 'customer',
  cookie: { name: 'vauban_session', secureName: '__Host-vauban_session', path: '/', sameSite: 'Lax' },
  deviceCookie: { name: 'vauban_device', secureName: '__Host-vauban_device' },
  sessionSeconds: 30 * DAY_S,
  idleSeconds: 7 * DAY_S,
};

/** A working day, and a coffee break. The cookie goes nowhere but to the operator's pages. */
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
