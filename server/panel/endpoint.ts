import type { Attempts } from '../access/attempts.ts';
import type { Passwords } from '../access/passwords.ts';
import type { Caller } from '../access/principal.ts';
import type { RealmRules } from '../access/realms.ts';
import type { Role } from '../access/roles.ts';
import type { ActiveSession } from '../access/sessions.ts';
import type { Brand } from '../config/brand.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import type { Context, EndpointServices, FileResult, StreamedResult } from '../http/endpoint.ts';
import type { InputsOf, Method, OperationDefinition, Result } from '../http/operation.ts';
import type { Payments } from '../payments/payments.ts';
import type { ErrorCode } from '../platform/errors.ts';
import type { TObject } from '../platform/schema.ts';
import type { Browser } from './browser.ts';
import type { Changes } from './changes.ts';

/** What the panel's operations need of the service. */
export interface PanelServices extends EndpointServices {
  attempts: Attempts;
  brand: Brand;
  changes: Changes;
  payments: Payments;
  /** Where the links of mails lead: as configured, and never what a request says of itself. */
  site: { panelUrl: string; operatorUrl: string };
  passwords: Passwords;
  /** Whose sign-in it is: that of customers, or that of operators. */
  realm: RealmRules;
}

/** The groups of operations. */
export type PanelTag = 'site' | 'session' | 'person' | 'key' | 'member' | 'account' | 'money' | 'vm' | 'live';

/** Who may call: anybody; who has signed in; who has at least a role in the account that the session shows. */
export type Access = 'public' | 'person' | Role;

/** Who calls, as far as the access that an operation asks for tells. */
export type Who<C extends Access> = C extends 'public'
  ? { caller: Caller | undefined; session: ActiveSession | undefined }
  : C extends 'person'
    ? { caller: Caller | undefined; session: ActiveSession }
    : { caller: Caller; session: ActiveSession };

/** What a handler is given besides what its inputs are. */
export type Surroundings<C extends Access> = Who<C> & { browser: Browser; services: PanelServices };

/**
 * One operation of the panel's own, below /panel/api: what a key may never do. The pipeline does the rest in its order:
 * session and origin, limits, access, Idempotency-Key, body, stored reply, `load`, schemas, `handle`.
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
  /** The person must have proved who they are within the last {@link CONFIRM_MINUTES}. */
  confirm?: true;
  /** Idempotency-Key is required and the reply is stored and replayed. For roles only: replies belong to an account. */
  idempotent?: true;
  /** The reply holds a secret: encrypted where it is stored. */
  secret?: true;
  /** Possible in an account that the operator has suspended, which may otherwise only read. */
  whileSuspended?: true;
  /** Largest body in bytes; 16 KiB when absent. */
  bodyLimit?: number;
  /** The reply is a stream of server-sent events; `data` is the schema of the `data` of each. */
  streams?: true;
  /** Media types that it answers in besides JSON, to a caller whose `Accept` prefers them. */
  representations?: readonly string[];
  errors: readonly ErrorCode[];
  /**
   * What is slow, or must not be undone with the transaction, before it opens: an engine is asked, a password hashed, an
   * attempt counted. Runs only where the inputs are well formed, and may refuse.
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

/** How long a proof of who one is lasts. */
export const CONFIRM_MINUTES = 10;

// The roster holds endpoints of every shape; the pipeline checks shapes at run time by their schemas.
// biome-ignore lint/suspicious/noExplicitAny: existential type of "some endpoint"
export type PanelEndpoint = PanelEndpointDefinition<any, any, any, any, any, any, any>;

/** Declares an endpoint of the panel's; exists so that the types of the schemas reach `handle`. */
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
