import { type Sql, sql } from '../../../db/database.ts';

/**
 * What must be true of the books. A law is a query for the rows that contradict it, each as one text `what` that names
 * the row and says what is wrong with it; it finds none at any instant between two transactions.
 */
export interface AccountLaw {
  name: string;
  /** Of the accounts whose ids are in scope. */
  offences(scope: Scope): Sql;
}

/** A law of what belongs to no account, or to all together. */
export interface SellerLaw {
  name: string;
  offences: Sql;
}

/** The condition that a column of account ids is in scope. */
export type Scope = (column: Sql) => Sql;

/** All accounts. */
export const everyAccount: Scope = (column) => sql`${column} is not null`;

/** Accounts after `from` up to `to`; without `to`, all that follow, known or not. Ids have one order, that of bytes. */
export function accountsBetween(from: string, to: string | undefined): Scope {
  return (column) =>
    to === undefined ? sql`${column} > ${from}` : sql`${column} > ${from} and ${column} <= ${to}`;
}
