import type { ErrorCode } from '../platform/errors.ts';
import type { Static, TObject, TSchema } from '../platform/schema.ts';

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
 * The parts of an operation of either API that the router, the OpenAPI document and the tests need. A customer's
 * endpoint (`http/endpoint.ts`) and one of the operator's (`operator/endpoint.ts`) add how they are called.
 */
export interface OperationDefinition<
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TObject | undefined,
  M extends Method,
> {
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
  /** Refusals of this operation, besides those that every operation of its API can return. */
  errors: readonly ErrorCode[];
  example?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: existential type of "some operation"
export type AnyOperation = OperationDefinition<any, any, any, Method>;
