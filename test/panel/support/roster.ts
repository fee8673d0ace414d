import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { issueMailToken } from '../../../server/domain/people/mail-tokens.ts';
import type { ManualClock } from '../../../server/platform/clock.ts';
import { Authenticator } from './authenticator.ts';
import {
  type AskOptions,
  DESCRIPTION,
  linkIn,
  mailsTo,
  newAccount,
  newPerson,
  type Panel,
  signInAs,
  TestBrowser,
} from './panel.ts';

const EXAMPLE = 'anna';
const ABSENT = 'vm_00000000000000000000000000';
/** Settings that some of the operations need. */
export const ROSTER_SETTINGS = {
  VAUBAN_PAYMENT_PROVIDERS: 'test, bank_transfer',
  VAUBAN_BANK_RECIPIENT: 'Example Hosting',
  VAUBAN_BANK_IBAN: 'DE89370400440532013000',
};

const OPERATIONS = new Map(DESCRIPTION.operations.map((operation) => [operation.id, operation]));

/** Differences from the example in the description: the ids of the path in order, and fields of the body. */
interface Particulars extends Omit<AskOptions, 'body'> {
  at?: string[];
  body?: object;
}

export interface RosterOptions {
  /** The name of the person who signs up; by default that of the examples. Two people cannot have the same address. */
  name?: string;
  /** First tries each operation with an absent id and as a stranger. */
  probes?: boolean;
}

/** Runs a named part of the story. */
export type Step = (name: string, work: () => Promise<void>) => Promise<void>;

/** Calls operations by name and remembers which have succeeded. */
class Caller {
  readonly answered = new Set<string>();
  readonly #clock: ManualClock;
  readonly #name: string;
  readonly #probes: boolean;

  constructor({ clock }: Panel, { name = EXAMPLE, probes = true }: RosterOptions) {
    this.#clock = clock;
    this.#name = name;
    this.#probes = probes;
  }

  /** The person's address; the description's examples are about this person. */
  get email(): string {
    return `${this.#name}@example.com`;
  }

  async ask(browser: TestBrowser, id: string, { at = [], body, ...options }: Particulars = {}) {
    const { method, path, body: example } = OPERATIONS.get(id)!;
    // Ids created at the same instant have no order.
    this.#clock.advance(1);
    const places = [...at];
    const target = path.replace(/\{\w+\}/g, () => places.shift()!);
    const sent = example === undefined ? undefined : this.#named({ ...example, ...body });
    return browser.ask(method, target, { body: sent, ...options });
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asks for
  async ok(browser: TestBrowser, id: string, particulars?: Particulars): Promise<any> {
    const { status, data, error } = await this.ask(browser, id, particulars);
    assert.equal(status, 200, `${id}: ${JSON.stringify(error)}`);
    this.answered.add(id);
    return data;
  }

  #named(body: object): object {
    return JSON.parse(JSON.stringify(body).replaceAll(`${EXAMPLE}@example.com`, this.email));
  }

  /**
   * Calls an operation on something in the path. With `probes`, an absent id and a stranger must get "not found" first.
   */
  async about(
    browser: TestBrowser,
    stranger: TestBrowser,
    id: string,
    particulars: Particulars,
  ): Promise<void> {
    const absent = { ...particulars, at: particulars.at!.map(() => ABSENT) };
    if (this.#probes)
      for (const [who, asked] of [
        [browser, absent],
        [stranger, particulars],
      ] as const) {
        const { status, error } = await this.ask(who, id, asked);
        assert.equal(status, 404, `${id}: ${JSON.stringify(error)}`);
      }
    await this.ok(browser, id, particulars);
  }
}

const tokenTo = async (panel: Panel, email: string) => linkIn((await mailsTo(panel, email)).at(-1)!);

/**
 * Calls every operation of the panel in an order in which all succeed: someone signs up, uses everything, and leaves.
 * Returns the ids of the successful operations.
 */
export async function callEveryOperation(
  panel: Panel,
  step: Step,
  options: RosterOptions = {},
): Promise<ReadonlySet<string>> {
  const { clock } = panel;
  const caller = new Caller(panel, options);
  const { browser: stranger } = await signInAs(panel, 'owner');
  // Passkeys need a host name.
  const origin = panel.baseUrl.replace('127.0.0.1', 'localhost');
  const visitor = () => new TestBrowser({ baseUrl: origin });
  const owner = visitor();
  const { email } = caller;

  await step('the site, and ways to sign in', async () => {
    for (const id of ['getSite', 'getPublicPrices', 'signUp']) await caller.ok(owner, id);
    const link = { body: { token: await tokenTo(panel, email) } };
    await caller.ok(visitor(), 'showLink', link);
    await caller.ok(owner, 'completeSignUp', link);
    await caller.ok(owner, 'signIn');
    await caller.ok(visitor(), 'requestPasswordReset');
    const token = await tokenTo(panel, email);
    await caller.ok(visitor(), 'resetPasswordByMail', { body: { token } });
    await caller.ok(owner, 'signIn');
    const guest = await newPerson(panel);
    const { db } = panel.services;
    const signInLink = { purpose: 'sign_in_link' as const, personId: guest.personId, email: guest.email };
    const issued = await db.transaction((tx) => issueMailToken(tx, panel.services, signInLink));
    await caller.ok(visitor(), 'signInByLink', { body: { token: issued.token } });
  });

  await step('the person and their sessions', async () => {
    const other = visitor();
    await caller.ok(other, 'signIn');
    const sessions = await caller.ok(owner, 'listSessions');
    const { id } = sessions.find(({ current }: { current: boolean }) => !current);
    await caller.about(owner, stranger, 'revokeSession', { at: [id] });
    const { account } = await caller.ok(owner, 'getSession');
    await caller.ok(owner, 'switchAccount', { body: { account_id: account.id } });
    for (const name of ['confirmSession', 'updateProfile', 'changePassword']) await caller.ok(owner, name);
    const moved = `new.${email}`;
    await caller.ok(owner, 'changeEmail', { body: { email: moved } });
    await caller.ok(visitor(), 'verifyEmail', { body: { token: await tokenTo(panel, moved) } });
    await caller.ok(owner, 'changeEmail', { body: { email } });
    await caller.ok(visitor(), 'verifyEmail', { body: { token: await tokenTo(panel, email) } });
  });

  await step('second factors', async () => {
    const { secret } = await caller.ok(owner, 'beginTotp');
    const code = () => {
      clock.advance(30_000);
      const timestamp = clock.now().getTime();
      return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
    };
    await caller.ok(owner, 'confirmTotp', { body: { code: code() } });
    const { recovery_codes } = await caller.ok(owner, 'renewRecoveryCodes');
    for (const [id, given] of [
      ['signInSecondFactor', code()],
      ['signInWithRecoveryCode', recovery_codes[0]],
    ] as const) {
      const browser = visitor();
      await caller.ok(browser, 'signIn');
      await caller.ok(browser, id, { body: { code: given } });
    }
    await caller.ok(owner, 'removeTotp');
    const key = new Authenticator(origin);
    const { options } = await caller.ok(owner, 'beginPasskey');
    const passkey = await caller.ok(owner, 'addPasskey', { body: { response: key.create(options) } });
    const browser = visitor();
    const asked = await caller.ok(browser, 'beginPasskeySignIn');
    await caller.ok(browser, 'signInWithPasskey', { body: { response: key.get(asked.options) } });
    await caller.ok(owner, 'listPasskeys');
    await caller.about(owner, stranger, 'removePasskey', { at: [passkey.id] });
  });

  await step('keys and members', async () => {
    for (const id of ['listScopes', 'listKeys', 'listAudit']) await caller.ok(owner, id);
    const { key } = await caller.ok(owner, 'createKey');
    await caller.about(owner, stranger, 'revokeKey', { at: [key.id] });
    const { email: invited, browser: member } = await signInAs(panel, 'owner');
    await caller.ok(owner, 'inviteMember', { body: { email: invited } });
    const token = await tokenTo(panel, invited);
    await caller.ok(visitor(), 'showInvitation', { body: { token } });
    await caller.ok(member, 'acceptInvitation', { body: { token } });
    const members = await caller.ok(owner, 'listMembers');
    const { id } = members.find((one: { email: string }) => one.email === invited);
    await caller.about(owner, stranger, 'changeMemberRole', { at: [id] });
    await caller.about(owner, stranger, 'removeMember', { at: [id] });
  });

  await step('money', async () => {
    for (const id of [
      'listPaymentProviders',
      'getDebt',
      'getStatement',
      'getBillingProfile',
      'setBillingProfile',
    ])
      await caller.ok(owner, id);
    const kept = { provider: 'test', keep_method: true };
    await caller.ok(owner, 'startTopUp', { body: kept, idempotencyKey: 'kept' });
    const transfer = { provider: 'bank_transfer' };
    const { top_up } = await caller.ok(owner, 'startTopUp', { body: transfer, idempotencyKey: 'bank' });
    await caller.ok(owner, 'listTopUps');
    for (const id of ['getTopUp', 'cancelTopUp'])
      await caller.about(owner, stranger, id, { at: [top_up.id] });
    const { methods } = await caller.ok(owner, 'getAutoTopUp');
    const { id } = methods[0];
    await caller.ok(owner, 'setAutoTopUp', { body: { payment_method_id: id } });
    await caller.ok(owner, 'setAutoTopUp', { body: { enabled: false } });
    await caller.about(owner, stranger, 'removePaymentMethod', { at: [id] });
  });

  await step('VMs, and changes as they happen', async () => {
    const changes = await owner.fetch('GET', '/changes');
    assert.equal(changes.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    await changes.body!.cancel();
    caller.answered.add('streamChanges');
    const size = { vcpu: 1, ram_mb: 1024, disk_gb: 20 };
    const { vm } = await caller.ok(owner, 'createCustomVm', { body: size, idempotencyKey: 'vm' });
    const settled = async () => {
      while ((await owner.ok('GET', `/v1/vm/${vm.id}`)).active_job) clock.advance(1_000);
    };
    await settled();
    const { snapshot } = await owner.ok('POST', `/v1/vm/${vm.id}/snapshots`, { body: {} });
    await settled();
    await caller.about(owner, stranger, 'restoreSnapshot', { at: [vm.id, snapshot.id] });
    await settled();
    await caller.about(owner, stranger, 'rebuildVm', { at: [vm.id], body: { delete_snapshots: true } });
    await settled();
  });

  await step('the ends', async () => {
    const { browser: leaving, accountId } = await signInAs(panel, 'owner', await newAccount(panel));
    assert.ok(accountId);
    await caller.ok(leaving, 'closeAccount');
    await caller.ok(leaving, 'signOut');
  });

  return caller.answered;
}
