import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Role } from '../../../server/access/roles.ts';
import { type Database, sql } from '../../../server/db/database.ts';
import { createAccount } from '../../../server/domain/accounts/create-account.ts';
import { addMember, createPerson } from '../../../server/domain/people/create-person.ts';
import { issueMailToken, type NewMailToken } from '../../../server/domain/people/mail-tokens.ts';
import { PANEL_ENDPOINTS } from '../../../server/endpoints/panel/index.ts';
import { buildOpenApi } from '../../../server/http/openapi/build-openapi.ts';
import { PANEL_DESCRIPTION } from '../../../server/http/openapi/panel.ts';
import { MAIL_PURPOSE } from '../../../server/mail/outbox.ts';
import { startInProcess } from '../../chaos/support/in-process.ts';
import { LockRecorder } from '../../db/support/lock-recorder.ts';
import { TextRecorder, textsFile } from '../../db/support/text-recorder.ts';
import { Description } from '../../openapi/description.ts';

/** All requests of a browser are below this path. */
export const API = '/panel/api';

export const DESCRIPTION = new Description(buildOpenApi(PANEL_DESCRIPTION, PANEL_ENDPOINTS));

export type Panel = Awaited<ReturnType<typeof openPanel>>;

/**
 * Starts the whole service in this process, on a fresh database of the tested engine and the test's clock. It has the
 * demo account, with money.
 */
export async function openPanel(
  t: TestContext,
  env: Record<string, string> = {},
  watch?: (db: Database) => Database,
) {
  // While the clock stands still, the rate limit of a network never starts a new minute.
  const { RECORD_LOCKS: file } = process.env;
  const service = await startInProcess(t, {
    env: { VAUBAN_RATE_LIMIT_IP: '100000', VAUBAN_RATE_LIMIT_OPEN: '100000', ...env },
    ...(watch && { watch }),
    // See test/db/lock-order.full.test.ts.
    ...(file && {
      watch: (db) =>
        new TextRecorder(textsFile(file)).watch(new LockRecorder(file, { repeats: false }).watch(db)),
    }),
  });
  return { ...service, services: service.service.services };
}

/** A reply: `data` of a success, or `error` of a refusal. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  data: T;
  pagination: { next_cursor: string | null; has_more: boolean } | undefined;
  error: { code: string; message: string; details?: Record<string, unknown> } | undefined;
}

export interface AskOptions {
  body?: unknown;
  /** Added to the headers of a browser on our own pages; `undefined` removes one of those. */
  headers?: Record<string, string | undefined>;
  idempotencyKey?: string;
}

/** A browser: its cookie, and the headers which say that it is on our own pages. */
export class TestBrowser {
  readonly #baseUrl: string;
  readonly #api: string;
  cookie: string | undefined;
  /** The cookie by which an account recognizes the browser, with or without a session. */
  device: string | undefined;

  constructor({ baseUrl }: { baseUrl: string }, cookie?: string, api = API) {
    this.#baseUrl = baseUrl;
    this.#api = api;
    this.cookie = cookie;
  }

  /**
   * Sends a request below /panel/api, or below the API passed to the constructor, such as "/session" or "/v1/vm".
   * Replies of the panel itself are checked against its description.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asks for
  async ask<T = any>(method: string, path: string, options: AskOptions = {}): Promise<Answer<T>> {
    const reply = await this.fetch(method, path, options);
    const text = await reply.text();
    if (this.#api === API && DESCRIPTION.describes(method, path)) {
      const { status, headers } = reply;
      DESCRIPTION.check({ method, path, status, headers: Object.fromEntries(headers), text });
    }
    const answer = text === '' ? {} : JSON.parse(text);
    return { status: reply.status, headers: reply.headers, ...answer };
  }

  /** Sends a request that must succeed; returns its `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asks for
  async ok<T = any>(method: string, path: string, options: AskOptions = {}): Promise<T> {
    const { status, data, error } = await this.ask<T>(method, path, options);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(error)}`);
    return data;
  }

  /** Returns the raw reply; stores its cookies. */
  async fetch(method: string, path: string, { body, headers, idempotencyKey }: AskOptions = {}) {
    const all: Record<string, string | undefined> = {
      cookie: [this.cookie, this.device].filter((pair) => pair !== undefined).join('; ') || undefined,
      origin: this.#baseUrl,
      'sec-fetch-site': 'same-origin',
      'content-type': body === undefined ? undefined : 'application/json',
      'idempotency-key': idempotencyKey,
      ...headers,
    };
    const given = Object.entries(all).filter(([, value]) => value !== undefined) as [string, string][];
    const reply = await fetch(this.#baseUrl + this.#api + path, {
      method,
      headers: given,
      redirect: 'manual',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const line of reply.headers.getSetCookie()) {
      const pair = line.split(';', 1)[0]!;
      if (/^[\w-]+_device=/.test(pair)) this.device = pair;
      else this.cookie = pair.endsWith('=') ? undefined : pair;
    }
    return reply;
  }
}

export function newAccount(
  { services: { db, clock, catalog } }: Panel,
  name = 'Example Ltd',
): Promise<string> {
  return db.transaction(
    async (tx) => (await createAccount(tx, clock, { name, currency: catalog.currency, limits: {} })).id,
  );
}

let people = 0;

/** Creates a person with a unique address and, if `place` is given, a role in an account. */
export function newPerson(
  { services: { db, clock } }: Panel,
  {
    email = `person-${++people}@example.com`,
    place,
  }: { email?: string; place?: { accountId: string; role: Role } } = {},
): Promise<{ personId: string; email: string }> {
  return db.transaction(async (tx) => {
    const person = { email, name: '', locale: 'en', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, clock, person);
    if (place) await addMember(tx, clock, { personId, ...place });
    return { personId, email };
  });
}

/** Returns the secret of a link that is not mailed: a mail forgets its link once it has been sent. */
export async function newLink({ services }: Panel, link: NewMailToken): Promise<string> {
  return (await services.db.transaction((tx) => issueMailToken(tx, services, link))).token;
}

/** Signs a person in with an operator's link, over HTTP. */
export async function signInByLink(panel: Panel, personId: string): Promise<TestBrowser> {
  const token = await newLink(panel, { purpose: 'sign_in_link', personId, email: 'link@example.com' });
  const browser = new TestBrowser(panel);
  await browser.ok('POST', '/sign-in/link', { body: { token } });
  return browser;
}

/** Signs in a new person with this role, in a new account by default. */
export async function signInAs(panel: Panel, role: Role, account?: string) {
  const accountId = account ?? (await newAccount(panel));
  const person = await newPerson(panel, { place: { accountId, role } });
  return { ...person, accountId, browser: await signInByLink(panel, person.personId) };
}

/** A mail and the values that fill its template. */
export interface WrittenMail {
  template: string;
  locale: string;
  values: Record<string, string>;
}

/** Returns the mails to an address, oldest first. */
export async function mailsTo({ services: { db, secrets } }: Panel, email: string): Promise<WrittenMail[]> {
  const rows = await db.query<{ template: string; locale: string; sealed_values: string | null }>(
    sql`select template, locale, sealed_values from mails where recipient = ${email} order by id`,
  );
  return rows.map(({ template, locale, sealed_values }) => ({
    template,
    locale,
    // The values are deleted once the mail has been sent.
    values: sealed_values === null ? {} : JSON.parse(secrets.open(sealed_values, MAIL_PURPOSE)),
  }));
}

export const linkIn = ({ values }: WrittenMail): string => values.url!.split('#')[1]!;
