import type { Audience, ErrorCode } from '../platform/error-codes.ts';
import type { Static, TObject, TSchema } from '../platform/schema.ts';

export type { Audience };
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The payload under `data`, with any further members. */
export interface Result {
  data: unknown;
  pagination?: { limit: number; next_cursor: string | null; has_more: boolean };
  [beside: string]: unknown;
}

/** The type of a handler's input for a schema; an empty object without one. */
export type InputsOf<S> = S extends TSchema ? Static<S> : Record<string, never>;

/**
 * The parts of an operation that are the same for every audience: what the router, the OpenAPI document and the tests
 * need. `endpoint.ts` adds, for each audience, how the operation is called.
 */
export interface OperationDefinition<
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TObject | undefined,
  M extends Method,
> {
  /** Whom the operation is for, and so who can call it and how. */
  audience: Audience;
  /** The operation's unique name everywhere, such as `createVm`. */
  operation: string;
  method: M;
  /** With `{name}` variables, as in the specification. */
  path: string;
  /** The group under which it is documented. */
  tag: string;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  /** Input fields; absent if the body must be missing or `{}`. */
  body?: B;
  /** Schema of `data` in the 200 reply. */
  data: TSchema;
  /** `data` is an array, and the reply also has `pagination`. */
  paginated?: true;
  /**
   * Set if the operation converts prices to amounts or moves money: it answers 503 until the number of decimals in
   * the books is known (`db/known-books.ts`).
   */
  money?: true;
  /** Refusals of this operation, besides those that every operation of its audience can return. */
  errors: readonly ErrorCode[];
  example?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: existential type of "some operation"
export type AnyOperation = OperationDefinition<any, any, any, Method>;
