import type { ErrorCode } from '../platform/errors.ts';
import type { Static, TObject, TSchema } from '../platform/schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The payload under `data`, with whatever stands beside it. */
export interface Result {
  data: unknown;
  pagination?: { limit: number; next_cursor: string | null; has_more: boolean };
  [beside: string]: unknown;
}

/** What a schema of inputs gives a handler; nothing where there is none. */
export type InputsOf<S> = S extends TSchema ? Static<S> : Record<string, never>;

/**
 * What the router, the OpenAPI document and the tests need to know of an operation of either API. A customer's
 * endpoint (`http/endpoint.ts`) and one of the operator's (`operator/endpoint.ts`) add how they are called.
 */
export interface OperationDefinition<
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TObject | undefined,
  M extends Method,
> {
  /** The operation's one name everywhere, such as `createVm`. */
  operation: string;
  method: M;
  /** With `{name}` variables, as in the specification. */
  path: string;
  /** The group that it is described in. */
  tag: string;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  /** Input fields; absent means that the body is none or `{}`. */
  body?: B;
  /** Schema of `data` in the 200 reply. */
  data: TSchema;
  /** `data` is an array and `pagination` stands beside it. */
  paginated?: true;
  /**
   * It turns prices into amounts, or moves money: it answers 503 until it is known how many decimals the amounts in the
   * books have (`db/known-books.ts`).
   */
  money?: true;
  /** Refusals of this operation, besides those that every operation of its API can answer. */
  errors: readonly ErrorCode[];
  /** An example of `data`. */
  example?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: existential type of "some operation"
export type AnyOperation = OperationDefinition<any, any, any, Method>;
