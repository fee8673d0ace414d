import assert from 'node:assert/strict';
import { ALL_SCOPES, type Scope } from '../../../server/access/scopes.ts';
import { call, exchange } from '../../operator/support.ts';
import { enrolledOperator, linkedOperator, operatorBrowser } from '../../operator-panel/support/operator.ts';
import {
  newAccount,
  newPerson,
  type Panel,
  signInAs,
  signInByLink,
  TestBrowser,
} from '../../panel/support/panel.ts';
import type { Ask } from './table.ts';

/** No credential may hit a limit: the limits have their own tests. */
export const LIMITS = { VAUBAN_RATE_LIMIT_KEY: '100000', VAUBAN_RATE_LIMIT_ACCOUNT: '100000' };

/** Returns the outcome of a reply without reading a stream, which has no end. */
async function outcomeOf(reply: Response): Promise<string> {
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  if (!reply.ok) return ((await reply.json()) as { error: { code: string } }).error.code;
  await reply.body?.cancel();
  return 'ok';
}

/** Asks as a browser whose cookie stays. A change has a body that cannot be read, so that nothing happens. */
const asking =
  (browser: TestBrowser): Ask =>
  async ({ method, path }, headers = {}) => {
    const { cookie } = browser;
    const body = method === 'GET' ? {} : { body: '{' };
    const reply = await browser.fetch(method, path, { ...body, headers });
    browser.cookie = cookie;
    return outcomeOf(reply);
  };

const tokenOf = ({ cookie }: TestBrowser) => cookie!.split('=')[1]!;
/** Returns the browser's session as a cookie of each realm. */
const cookiesOf = (browser: TestBrowser) => ({
  asCustomer: `vauban_session=${tokenOf(browser)}`,
  asOperator: `vauban_operator=${tokenOf(browser)}`,
});

async function suspendedAccount(panel: Panel): Promise<string> {
  const account = await newAccount(panel);
  const { status } = await call(panel.operatorSocket, 'POST', `/accounts/${account}/suspend`, {});
  assert.equal(status, 200);
  return account;
}

/** Signs in to the panel as someone without an account, with each role, and as the owner of a suspended account. */
export async function people(panel: Panel) {
  const account = await newAccount(panel);
  const { personId } = await newPerson(panel);
  const { browser: owner } = await signInAs(panel, 'owner', account);
  return {
    none: asking(new TestBrowser(panel)),
    person: asking(await signInByLink(panel, personId)),
    viewer: asking((await signInAs(panel, 'viewer', account)).browser),
    operator: asking((await signInAs(panel, 'operator', account)).browser),
    owner: asking(owner),
    suspended: asking((await signInAs(panel, 'owner', await suspendedAccount(panel))).browser),
    ...cookiesOf(owner),
  };
}

/** Signs in to the operator panel without a second factor (`linked`) and with one (`enrolled`). */
export async function operators(panel: Panel) {
  const { browser } = await enrolledOperator(panel);
  return {
    none: asking(operatorBrowser(panel)),
    linked: asking((await linkedOperator(panel)).browser),
    enrolled: asking(browser),
    ...cookiesOf(browser),
  };
}

/** Makes keys with all scopes, with one, with all but one, and of a suspended account. */
export async function keys(panel: Panel) {
  const newKey = async (account: string, scopes: readonly Scope[]): Promise<string> => {
    const body = { name: 'access', scopes };
    const reply = await call(panel.operatorSocket, 'POST', `/accounts/${account}/keys`, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.json().data.key;
  };
  const askWith =
    (key?: string): Ask =>
    async ({ method, path }, headers = {}) => {
      const isRead = method === 'GET';
      const reply = await fetch(panel.baseUrl + path, {
        method,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(!isRead && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(!isRead && { body: '{' }),
      });
      return outcomeOf(reply);
    };
  const account = await newAccount(panel);
  const only = new Map<Scope, Ask>();
  const without = new Map<Scope, Ask>();
  for (const scope of ALL_SCOPES) {
    only.set(scope, askWith(await newKey(account, [scope])));
    const others = ALL_SCOPES.filter((other) => other !== scope);
    without.set(scope, askWith(await newKey(account, others)));
  }
  const all = await newKey(account, ALL_SCOPES);
  return {
    all,
    none: askWith(),
    only: (scope: Scope) => only.get(scope)!,
    without: (scope: Scope) => without.get(scope)!,
    suspended: askWith(await newKey(await suspendedAccount(panel), ALL_SCOPES)),
  };
}

/** Asks on the machine's socket, with a body that no operation takes. */
export const socket =
  ({ operatorSocket }: Panel): Ask =>
  async ({ method, path }) => {
    const { status, json } = await exchange(operatorSocket, method, path, method === 'GET' ? undefined : '{');
    return status === 200 ? 'ok' : json().error.code;
  };
