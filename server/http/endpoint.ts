import type { Readable } from 'node:stream';
import type { Caller } from '../access/principal.ts';
import type { Role } from '../access/roles.ts';
import type { Scope } from '../access/scopes.ts';
import type { ActiveSession } from '../access/sessions.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import type { ErrorCodeOf } from '../platform/error-codes.ts';
import type { TObject, TSchema } from '../platform/schema.ts';
import type { Audience, InputsOf, Method, OperationDefinition, Result } from './operation.ts';
import type { Browser } from './panel/browser.ts';
import type { EndpointServices, OperatorServices, PanelServices } from './services.ts';

export type { Caller };

type Fields = TObject | undefined;

export type CustomerTag = 'catalog' | 'vm' | 'sshkey' | 'billing' | 'shield';
export type PanelTag = 'site' | 'session' | 'person' | 'key' | 'member' | 'account' | 'money' | 'vm' | 'live';
export type OperatorTag = 'account' | 'key' | 'money' | 'vm' | 'job' | 'shield' | 'host' | 'service';

/** A reply as a stream of server-sent events, which starts when the transaction has committed. */
export interface StreamedResult {
  stream: () => Readable;
}

/** A reply as a file, in one of the endpoint's `representations`. */
export interface FileResult {
  file: { bytes: Buffer; type: string; name: string };
}

/**
 * A reply that is a file of any length, read no faster than it is sent; if reading fails midway, the file is cut off.
 */
export interface FileContent {
  content: AsyncIterable<Buffer>;
}

/** Input of a handler, besides the caller and the services. */
interface Request<P, Q, B, R, D extends Queryable, A> {
  params: P;
  query: Q;
  body: B;
  /** The result of `load`. */
  resource: R;
  /** The result of `prepare`. */
  prepared: A;
  /** An open transaction in every endpoint that is not a GET. */
  db: D;
  /** The time of this request, which does not change while it is processed. */
  now: Date;
  /**
   * The address at which the caller reached the service, such as "https://cloud.example": the base of returned URLs.
   */
  baseUrl: () => string;
  /** Aborts when the caller disconnects or the service shuts down; a waiting handler then answers at once. */
  hangUp: () => AbortSignal;
  /** The media type of the reply: JSON, or one of the endpoint's `representations`. */
  representation: string;
}

/** The permitted callers: anyone; anyone signed in; anyone with at least this role in the account that the session shows. */
export type Access = 'public' | 'person' | Role;

/** Validity of a proof of identity. */
export const CONFIRM_MINUTES = 10;

/** The caller, as far as an operation's access guarantees one. */
type PersonFor<C extends Access> = C extends 'public'
  ? { caller: Caller | undefined; session: ActiveSession | undefined }
  : C extends 'person'
    ? { caller: Caller | undefined; session: ActiveSession }
    : { caller: Caller; session: ActiveSession };

/** Who calls, and the services, as handlers get them. */
type WhoFor<W extends Audience, C extends Access> = W extends 'customer'
  ? { caller: Caller; services: EndpointServices }
  : W extends 'panel'
    ? PersonFor<C> & { browser: Browser; services: PanelServices }
    : {
        /** The operator's name, such as "root" or "anna as root"; empty if the operation only reads. */
        actor: string;
        services: OperatorServices;
      };

/** The further inputs of a handler; operators' handlers open their own transactions, see {@link OperatorFields}. */
type RequestFor<W extends Audience, P, Q, B, R, M extends Method, A> = W extends 'operator'
  ? Pick<Request<P, Q, B, R, Queryable, A>, 'params' | 'query' | 'body'>
  : Request<P, Q, B, R, M extends 'GET' ? Queryable : Transaction, A>;

/**
 * An operation, as far as the audiences have the same fields. The pipeline runs it in a transaction, in this order:
 * caller, limits, scope or role, Idempotency-Key, body, stored reply, `load` (404), schemas (422), `handle`.
 */
interface Definition<
  W extends Audience,
  P extends Fields,
  Q extends Fields,
  B extends Fields,
  R,
  M extends Method,
  A,
  C extends Access,
> extends OperationDefinition<P, Q, B, M> {
  audience: W;
  errors: readonly ErrorCodeOf<W>[];
  /**
   * Requires an Idempotency-Key; the reply is stored and replayed. Only where the caller has an account, to which
   * stored replies belong.
   */
  idempotent?: true;
  /** The reply contains a secret: it must not be cached, and is stored encrypted. */
  secret?: true;
  /** Maximum body size in bytes; 64 KiB if absent. */
  bodyLimit?: number;
  /** The reply is a stream of server-sent events; `data` is the schema of each event's `data`. */
  streams?: true;
  /** Media types available besides JSON, for callers whose `Accept` prefers them. */
  representations?: readonly string[];
  /** Schemas of further members next to `data`. */
  beside?: Record<string, TSchema>;
  /**
   * Runs before the transaction opens, for work that is slow or must not be rolled back: asking an engine, hashing a
   * password, counting an attempt. Only runs if the inputs are well-formed. May refuse, but not because of the engine's
   * answer: that is judged by `handle`, after `load`.
   */
  prepare?(context: WhoFor<W, C> & { params: InputsOf<P>; body: InputsOf<B>; now: Date }): Promise<A>;
  /** Finds the resource in the path, within the caller's account only. Throws `not_found` otherwise. */
  load?(context: WhoFor<W, C> & { params: InputsOf<P>; db: Queryable }): Promise<R>;
  handle(
    context: WhoFor<W, C> & RequestFor<W, InputsOf<P>, InputsOf<Q>, InputsOf<B>, R, M, A>,
  ): Promise<W extends 'operator' ? Result | FileContent : Result | StreamedResult | FileResult>;
}

/** An operation for keys with its scope and, in the panel, for sessions with a role that has the scope. */
interface CustomerFields {
  scope: Scope;
  tag: CustomerTag;
  example: unknown;
}

/** An operation that only the panel has, below /panel/api, and that no key may use. */
interface PanelFields<C extends Access> {
  access: C;
  tag: PanelTag;
  /** The person must have proved their identity within the last {@link CONFIRM_MINUTES}. */
  confirm?: true;
  /** Allowed in an account that the operator has suspended, which can otherwise only read. */
  whileSuspended?: true;
}

/**
 * An operation of the operator API, on the machine's socket and for signed-in operators. There is no key: a process
 * that may open the socket may do everything.
 *
 * One that changes something is a POST. The pipeline opens no transaction for it but puts it on record: who asks for
 * what is committed before the handler runs, and the outcome after it. A transaction around both would lose the record
 * of everything that was refused, failed or was cut off by a crash. So the handler opens its own transactions, between
 * which it may call drivers: emptying a host or importing an image takes minutes.
 */
interface OperatorFields {
  method: 'GET' | 'POST';
  tag: OperatorTag;
  /** Media type of a reply that is a file; `data` is then the schema of each line. */
  file?: 'application/gzip' | 'application/x-ndjson' | 'text/csv';
  /** An action that must happen only once takes a `key` in its body. */
  idempotent?: undefined;
  secret?: undefined;
  streams?: undefined;
  representations?: undefined;
  prepare?: undefined;
  load?: undefined;
}

type FieldsFor<W extends Audience, C extends Access> = W extends 'customer'
  ? CustomerFields
  : W extends 'panel'
    ? PanelFields<C>
    : OperatorFields;

// Lists hold endpoints of every shape; the pipeline checks shapes at run time with their schemas.
// biome-ignore lint/suspicious/noExplicitAny: existential type of "some endpoint"
type Some<W extends Audience> = Definition<W, any, any, any, any, any, any, any>;
export type CustomerEndpoint = Some<'customer'> & CustomerFields;
export type PanelEndpoint = Some<'panel'> & PanelFields<Access>;
export type OperatorEndpoint = Some<'operator'> & OperatorFields;
export type Endpoint = CustomerEndpoint | PanelEndpoint | OperatorEndpoint;

/** Declares an endpoint; exists so that the types of the schemas reach the handler. `audience` selects the fields. */
export function endpoint<
  W extends Audience,
  P extends Fields = undefined,
  Q extends Fields = undefined,
  B extends Fields = undefined,
  R = undefined,
  const M extends Method = Method,
  A = undefined,
  const C extends Access = Access,
>(
  definition: Definition<W, P, Q, B, R, M, A, C> & FieldsFor<W, C>,
): Definition<W, P, Q, B, R, M, A, C> & FieldsFor<W, C> {
  return definition;
}
