import { ROLES, type Role } from '../db/enums.ts';
import { ALL_SCOPES, isReadScope, type Scope } from './scopes.ts';

export { ROLES, type Role };

/** Scopes that each role has in the customer API. A key cannot get more than its creator's role has. */
export const ROLE_SCOPES: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(ALL_SCOPES),
  operator: new Set(ALL_SCOPES),
  viewer: new Set(ALL_SCOPES.filter(isReadScope)),
};

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, owner: 2 };

export function isAtLeast(role: Role, least: Role): boolean {
  return RANK[role] >= RANK[least];
}
