import type { Audience, ErrorEntry } from './error-table/entry.ts';
import { OPERATION_ERRORS } from './error-table/operation-errors.ts';
import { REQUEST_ERRORS } from './error-table/request-errors.ts';

export type { Audience, ErrorText } from './error-table/entry.ts';

const TABLE = { ...REQUEST_ERRORS, ...OPERATION_ERRORS };

export type ErrorCode = keyof typeof TABLE;

/** The codes that operations of an audience can return. */
export type ErrorCodeOf<A extends Audience> = {
  [Code in ErrorCode]: A extends (typeof TABLE)[Code]['seenBy'][number] ? Code : never;
}[ErrorCode];

/**
 * Every error code, by its status. The OpenAPI documents, the tests and the handlers all read this table, so a code has
 * one status and no endpoint invents its own.
 */
export const ERRORS: Readonly<Record<ErrorCode, ErrorEntry>> = TABLE;

/** All codes in the order in which the documents list them: by status. */
export const ERROR_CODES = (Object.keys(ERRORS) as ErrorCode[]).sort(
  (a, b) => ERRORS[a].status - ERRORS[b].status,
);
