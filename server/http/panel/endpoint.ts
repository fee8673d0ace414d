import type { Attempts } from '../../access/attempts.ts';
import type { Passwords } from '../../access/passwords.ts';
import type { Caller } from '../../access/principal.ts';
import type { RealmRules } from '../../access/realms.ts';
import type { Role } from '../../access/roles.ts';
import type { ActiveSession } from '../../access/sessions.ts';
import type { Brand } from '../../config/brand.ts';
import type { Queryable, Transaction } from '../../db/database.ts';
import type { Payments } from '../../payments/payments.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import type { TObject } from '../../platform/schema.ts';
import type { Context, EndpointServices, FileResult, StreamedResult } from '../endpoint.ts';
import type { InputsOf, Method, OperationDefinition, Result } from '../operation.ts';
import type { Browser } from './browser.ts';
import type { Changes } from './changes.ts';

export interface PanelServices extends EndpointServices {
  attempts: Attempts;
  brand: Brand;
  changes: Changes;
  payments: Payments;
  /** Base URLs for links in mails: as configured, and never taken from a request. */
  site: { panelUrl: string; operatorUrl: string };
  passwords: Passwords;
  /** The rules of the sign-in: that of customers, or of operators. */
  realm: RealmRules;
}

export type PanelTag = 'site' | 'session' | 'person' | 'key' | 'member' | 'account' | 'money' | 'vm' | 'live';

/** The permitted callers: anyone; anyone signed in; anyone with at least this role in the account that the session shows. */
export type Access = 'public' | 'person' | Role;

/** The caller, as far as an operation's access guarantees one. */
export type Who<C extends Access> = C extends 'public'
  ? { caller: Caller | undefined; session: ActiveSession | undefined }
  : C extends 'person'
    ? { caller: Caller | undefined; session: ActiveSession }
    : { caller: Caller; session: ActiveSession };

export type Surroundings<C extends Access> = Who<C> & { browser: Browser; services: PanelServices };

/**
 * An operation that only the panel has, below /panel/api, and that no key may use. The pipeline does the rest in this
 * order: session and origin, limits, access, Idempotency-Key, body, stored reply, `load`, schemas, `handle`.
 */
export interface PanelEndpointDefinition<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
  R = undefined,
  M extends Method = Method,
  A = undefined,
  C extends Access = Access,
> extends OperationDefinition<P, Q, B, M> {
  access: C;
  tag: PanelTag;
  /** The person must have proved their identity within the last {@link CONFIRM_MINUTES}. */
  confirm?: true;
  /**
   * Idempotency-Key is required, and the reply is stored and replayed. For roles only: replies belong to an account.
   */
  idempotent?: true;
  /** The reply contains a secret, so it is stored encrypted. */
  secret?: true;
  /** Allowed in an account that the operator has suspended, which can otherwise only read. */
  whileSuspended?: true;
  /** Largest body in bytes; 64 KiB by default. */
  bodyLimit?: number;
  /** The reply is a stream of server-sent events; `data` is the schema of each event's `data`. */
  streams?: true;
  /** Media types that it can return besides JSON, to a caller whose `Accept` prefers them. */
  representations?: readonly string[];
  errors: readonly ErrorCode[];
  /**
   * Runs before the transaction opens, for work that is slow or must not be rolled back: asking an engine, hashing a
   * password, counting an attempt. Only runs if the inputs are well-formed, and may refuse.
   */
  prepare?: (context: Surroundings<C> & { params: InputsOf<P>; body: InputsOf<B>; now: Date }) => Promise<A>;
  /** Finds the resource in the path, for the caller's account only, or throws `not_found`. */
  load?: (context: Surroundings<C> & { params: InputsOf<P>; db: Queryable }) => Promise<R>;
  handle(
    context: Omit<
      Context<InputsOf<P>, InputsOf<Q>, InputsOf<B>, R, M extends 'GET' ? Queryable : Transaction, A>,
      'caller' | 'services'
    > &
      Surroundings<C>,
  ): Promise<Result | StreamedResult | FileResult>;
}

/** Validity of a proof of identity. */
export const CONFIRM_MINUTES = 10;

// The roster holds endpoints of every shape; the pipeline checks shapes at run time by their schemas.
// biome-ignore lint/suspicious/noExplicitAny: existential type of "some endpoint"
export type PanelEndpoint = PanelEndpointDefinition<any, any, any, any, any, any, any>;

/** Declares a panel endpoint; exists so that the schemas' types reach `handle`. */
export function panelEndpoint<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
  R = undefined,
  const M extends Method = Method,
  A = undefined,
  const C extends Access = Access,
>(definition: PanelEndpointDefinition<P, Q, B, R, M, A, C>): PanelEndpointDefinition<P, Q, B, R, M, A, C> {
  return definition;
}
