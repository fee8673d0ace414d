import type { FastifyInstance } from 'fastify';
import { Attempts } from '../../server/access/attempts.ts';
import { Passwords } from '../../server/access/passwords.ts';
import { LocalLimitStore, RateLimiter } from '../../server/access/rate-limits.ts';
import { CUSTOMERS } from '../../server/access/realms.ts';
import { Sessions } from '../../server/access/sessions.ts';
import { sql } from '../../server/db/database.ts';
import { createPerson } from '../../server/domain/people/create-person.ts';
import { startSession } from '../../server/domain/people/start-session.ts';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import { Changes } from '../../server/http/panel/changes.ts';
import { CustomerSessionMount, PANEL_API, PanelMount } from '../../server/http/panel/mounts.ts';
import { SessionGate } from '../../server/http/panel/session-gate.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { MAIL_PURPOSE } from '../../server/mail/outbox.ts';
import type { Call, Reply } from '../jobs/support/customer.ts';
import type { Installation } from '../jobs/support/installation.ts';
import { isOutOfReach } from './hosts.ts';
import type { Prng } from './prng.ts';

/** Nothing is aborted here. */
const NEVER = new AbortController().signal;

const ORIGIN = 'http://localhost';
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Someone who can sign in. */
export interface Person {
  id: string;
  email: string;
}

/** The panel of either node, for people who sign in separately for each action. */
export class People {
  readonly #installations: Installation[];
  readonly #doors: FastifyInstance[];

  constructor(installations: Installation[]) {
    this.#installations = installations;
    this.#doors = installations.map(openDoor);
  }

  async close(): Promise<void> {
    for (const door of this.#doors) await door.close();
  }

  /** Creates a person with an email address of their own. */
  async meet(email: string): Promise<Person> {
    const { clock, db } = this.#installations[0]!.services;
    const person = { email, name: '', locale: 'en', passwordHash: null, verified: true };
    const { id } = await db.transaction((tx) => createPerson(tx, clock, person));
    return { id, email };
  }

  /** Returns the token of the latest invitation to an address. */
  async invitationTo(email: string): Promise<string> {
    const { db, secrets } = this.#installations[0]!.services;
    const [mail] = await db.query<{ sealed_values: string }>(sql`
      select sealed_values from mails where recipient = ${email} and template = 'invitation' order by id desc limit 1`);
    const { url } = JSON.parse(secrets.open(mail!.sealed_values, MAIL_PURPOSE));
    return url.split('#')[1];
  }

  /**
   * Sends a call to one of the nodes with a session that has just begun and selects an account; throws if the service
   * fails. Time may jump between the two, so that the session is no longer fresh or has expired: then the person signs
   * in again.
   */
  async ask(prng: Prng, person: Person, accountId: string, call: Call, key: string): Promise<Reply> {
    const which = prng.between(0, this.#doors.length - 1);
    for (;;) {
      const { clock } = this.#installations[which]!.services;
      const signedInAt = clock.now().getTime();
      const reply = await this.#askOnce(which, person, accountId, call, key);
      const isTooOld = ['confirmation_required', 'session_required'].includes(reply.error?.code ?? '');
      if (!isTooOld || clock.now().getTime() === signedInAt) return reply;
    }
  }

  async #askOnce(
    which: number,
    { id: personId }: Person,
    accountId: string,
    { method, path, body }: Call,
    key: string,
  ): Promise<Reply> {
    const { db, clock, secrets } = this.#installations[which]!.services;
    const who = {
      ...{ personId, accountId },
      ...{ stage: 'signed_in' as const, ip: '127.0.0.1', userAgent: 'simulation' },
    };
    const { token } = await db.transaction((tx) =>
      startSession(tx, { clock, secrets, realm: CUSTOMERS }, who),
    );
    const reply = await this.#doors[which]!.inject({
      method,
      url: `${PANEL_API}${path}`,
      headers: {
        host: new URL(ORIGIN).host,
        origin: ORIGIN,
        cookie: `${CUSTOMERS.cookie.name}=${token}`,
        'idempotency-key': key,
        ...(body && { 'content-type': 'application/json' }),
      },
      payload: body && JSON.stringify(body),
    });
    const { data, error } = reply.json();
    if (reply.statusCode >= 500 && !isOutOfReach(error?.code))
      throw new Error(`${path} answered ${reply.statusCode}: ${reply.body}`);
    const replayed = reply.headers['idempotent-replayed'] === 'true';
    return { status: reply.statusCode, text: reply.body, data, error, replayed };
  }
}

function openDoor({ services }: Installation): FastifyInstance {
  const { clock, config, db, secrets } = services;
  const limits = { key: NO_LIMIT, account: NO_LIMIT, ip: NO_LIMIT, open: NO_LIMIT };
  const limiter = new RateLimiter(limits, new LocalLimitStore(NO_LIMIT), clock);
  const gate = new SessionGate({
    ...{ realm: CUSTOMERS, config, limiter },
    sessions: new Sessions(db, clock, secrets),
  });
  const own = {
    ...services,
    ...{ realm: CUSTOMERS, attempts: new Attempts(db, clock) },
    ...{ passwords: new Passwords(), changes: new Changes(services) },
  };
  const mounts = [new CustomerSessionMount(ENDPOINTS, gate, own), new PanelMount(PANEL_ENDPOINTS, gate, own)];
  return createHttpServer({ services, limiter, mounts, draining: NEVER, stopping: NEVER });
}
