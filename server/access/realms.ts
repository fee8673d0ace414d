import type { Realm } from '../db/queries/people.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

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
  /** How long a session lasts at the most, however much it is used. */
  sessionSeconds: number;
  /** Unused for so long, it is over. */
  idleSeconds: number;
}

export const CUSTOMERS: RealmRules = {
  realm: 'customer',
  cookie: { name: 'vauban_session', secureName: '__Host-vauban_session', path: '/', sameSite: 'Lax' },
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
  sessionSeconds: 12 * HOUR_S,
  idleSeconds: HOUR_S / 2,
};
