import { type Sql, sql } from '../../../db/database.ts';

/**
 * A law is a statement about the books that must always hold: a query for the rows that violate it, each as one text
 * `what` that names the row and says what is wrong. It finds none at any instant between two transactions.
 */
export interface AccountLaw {
  name: string;
  /** Restricted to the accounts whose ids are in scope. */
  offences(scope: Scope): Sql;
}

/** A law about data that belongs to no account, or to all of them together. */
export interface SellerLaw {
  name: string;
  offences: Sql;
}

/** The condition that a column of account ids is in scope. */
export type Scope = (column: Sql) => Sql;

export const everyAccount: Scope = (column) => sql`${column} is not null`;

/**
 * Accounts after `from` up to `to`; without `to`, all that follow, including new ones. Ids are ordered by their bytes.
 */
export function accountsBetween(from: string, to: string | undefined): Scope {
  return (column) =>
    to === undefined ? sql`${column} > ${from}` : sql`${column} > ${from} and ${column} <= ${to}`;
}
