import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { newPublicKey } from '../../../acceptance/support/valid-calls.ts';
import { startModel } from '../../../agent/support/model-server.ts';
import { RunningClock } from '../../../support/running-clock.ts';
import { asked, openStage, type Stage, TIMEOUT_MS } from '../story/stage.ts';
import { signInWithLink } from './panel-page.ts';

export const OWNER = 'ada@example.com';
const MEMBER = 'ben@example.com';

/**
 * The names of everything that people can name. `several` names things of which there can be many. A text is at most
 * `most` characters long.
 */
export interface Words {
  one(plain: string, most: number): string;
  several(plain: string, most: number): string[];
}

export const PLAIN_WORDS: Words = { one: (plain) => plain, several: (plain) => [plain] };

/** An account with one of everything, and a browser in which its owner is signed in. */
export interface World extends Stage {
  /** The values of route variables, by the path before them. */
  idOf: Record<string, string>;
  vm: string;
  account: string;
  tenant: string;
  target: string;
  shareUrl: string;
  invitationUrl: string;
  /** The texts that were set, by the pattern of a page that shows them. */
  said: Map<string, string[]>;
}

export async function openWorld(t: TestContext, words: Words = PLAIN_WORDS): Promise<World> {
  const model = await startModel(t, [
    { text: words.one('I look at it. ', 500), command: 'uptime', reason: words.one('to see', 200) },
    { text: words.one('All is well.', 500) },
  ]);
  const now = new Date();
  // The purchase was last month, so that there is an invoice for it.
  const clock = new RunningClock(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 600_000));
  const stage = await openStage(t, {
    clock,
    env: {
      VAUBAN_PANEL_NAME: words.one('Example Cloud', 40),
      VAUBAN_PANEL_TERMS_URL: 'https://cloud.example/terms',
      VAUBAN_PANEL_SUPPORT_URL: 'mailto:help@cloud.example',
      VAUBAN_AGENT_PROVIDER: 'openai-compatible',
      VAUBAN_AGENT_MODEL: 'test',
      VAUBAN_AGENT_BASE_URL: model.baseUrl,
    },
    catalog: ({ plans, templates, regions, seller }) => {
      plans[0].name = words.one('Shared S1', 60);
      templates[0].name = words.one('Debian 12', 60);
      regions[0].name = words.one('Frankfurt', 60);
      seller.name = words.one('Vauban Hosting GmbH', 60);
    },
  });
  const { operate, page } = stage;
  const said = new Map<string, string[]>();
  const says = (pattern: string, ...texts: string[]) => {
    said.set(pattern, [...(said.get(pattern) ?? []), ...texts]);
    return texts[0]!;
  };
  const { id: account } = await operate('/accounts', { name: words.one('Example Ltd', 60) });
  const reference = says('/billing/payments', words.one('transfer 812', 100));
  await operate(`/accounts/${account}/credits`, { amount_minor: 500_00, reference });
  await signIn(stage, account);
  const made = await ask<{ vm: { id: string } }>(page, 'POST', '/v1/vm', {
    ...{ plan: 's1', template: 'debian-12', hostname: 'web-1' },
  });
  const vm = made.vm.id;
  await untilIdle(page, vm);
  clock.advance(now.getTime() - clock.now().getTime());
  await signIn(stage, account);
  const ids = await furnish(stage, { account, vm, words, says });
  const [invoice] = await until(() => asked<{ id: string }[]>(page, '/v1/billing/invoices'));
  return {
    ...stage,
    ...{ vm, account, tenant: ids.tenant, target: ids.target, said },
    shareUrl: ids.shareUrl,
    invitationUrl: await stage.mailedLink('invitation', MEMBER),
    idOf: {
      '/machines/$id': vm,
      '/billing/invoices/$id': invoice!.id,
      '/billing/top-ups/$id': ids.topUp,
      '/shield/$tid': ids.tenant,
      '/shield/$tid/$id': ids.target,
    },
  };
}

async function signIn({ operate, page }: Stage, account: string): Promise<void> {
  const { url } = await operate('/people/sign-in-link', { email: OWNER, account_id: account });
  await signInWithLink(page, url);
  await page.waitForURL('**/panel/machines');
}

interface Furniture {
  account: string;
  vm: string;
  words: Words;
  says: (pattern: string, ...texts: string[]) => string;
}

/** Creates one of everything else in the account. */
async function furnish({ page, operate }: Stage, { account, vm, words, says }: Furniture) {
  const at = (path: string) => `/v1/vm/${vm}${path}`;
  const notes = says('/machines/$id', words.one('The first one.', 2_000));
  await ask(page, 'PATCH', at(''), { notes });
  const name = says('/account', words.one('Ada Example', 64));
  says('/members', name);
  await ask(page, 'PATCH', '/person', { name });
  await ask(page, 'POST', '/members', { email: MEMBER, role: 'viewer' });
  const called = {
    ...{ name: 'Ada Example', street: 'Main St 1', city: 'Bonn', postcode: '53111' },
    order_reference: 'PO-4711',
  };
  const place = Object.fromEntries(
    Object.entries(called).map(([field, plain]) => [field, words.one(plain, 100)]),
  );
  says('/billing/details', ...Object.values(place));
  const profile = { ...place, kind: 'consumer', country: 'DE', vat_id: null };
  await ask(page, 'PUT', '/billing-profile', profile);
  for (const label of words.several('deploy', 64)) {
    says('/keys', label);
    await ask(page, 'POST', '/keys', { label, scopes: ['vm:read'] });
  }
  for (const label of words.several('laptop', 64)) {
    says('/ssh-keys', label);
    await ask(page, 'POST', '/v1/vm/sshkeys', { name: label, public_key: newPublicKey() });
  }
  for (const [index, description] of words.several('web', 100).entries()) {
    says('/machines/$id/network', description);
    const rule = {
      direction: 'in',
      action: 'accept',
      protocol: 'tcp',
      ports: `${443 + index}`,
      cidrs: ['0.0.0.0/0'],
    };
    await ask(page, 'POST', at('/firewall'), { ...rule, priority: 100, description });
    const forward = { protocol: 'tcp', internal_port: 22 + index, description };
    await ask(page, 'POST', at('/port-forwarding'), forward);
  }
  const snapshot = { name: words.one('before', 64), description: words.one('Before the upgrade', 500) };
  says('/machines/$id/snapshots', snapshot.name, snapshot.description);
  await ask(page, 'POST', at('/snapshots'), snapshot);
  await untilIdle(page, vm);
  const label = says('/machines/$id/terminal', words.one('Support', 64));
  const share = await ask<{ url: string }>(page, 'POST', at('/console-shares'), {
    mode: 'read_write',
    label,
  });
  const message = says('/machines/$id/agent', words.one('How is it?', 2_000));
  says('/machines/$id/agent', words.one('All is well.', 500));
  await ask(page, 'POST', at('/ai-agent'), { message, approval_mode: 'never' });
  const { top_up } = await ask<{ top_up: { id: string } }>(page, 'POST', '/top-ups', {
    amount_minor: 25_00,
    provider: 'test',
    keep_method: true,
  });
  const shield = await underAttack({ page, operate }, { account, vm, words, says });
  return { ...shield, shareUrl: share.url, topUp: top_up.id };
}

/** Protects the machine's address and attacks it until the attack is detected. */
async function underAttack({ page, operate }: Pick<Stage, 'page' | 'operate'>, from: Furniture) {
  const { account, vm, words, says } = from;
  const { ipv4 } = await asked<{ ipv4: string }>(page, `/v1/vm/${vm}`);
  const tenant = (await operate(`/accounts/${account}/tenants`, { name: words.one('Example', 60) })).id;
  const target = (await operate(`/tenants/${tenant}/targets`, { ip: ipv4 })).id;
  await operate(`/targets/${target}/attack`, { vector: 'syn_flood', pps: 300_000, seconds: 36_000 });
  const path = `/v1/tenants/${tenant}/targets/${target}`;
  for (const [index, comment] of words.several('by hand', 200).entries()) {
    says('/shield/$tid/$id', comment);
    const rule = { action: 'block', protocol: 'udp', source: `198.18.${index}.0/24`, priority: 100, comment };
    await ask(page, 'POST', `${path}/rules`, rule);
  }
  await until(() => asked<unknown[]>(page, `${path}/events`));
  return { tenant, target };
}

/** Polls until the list is not empty. */
async function until<T>(look: () => Promise<T[]>): Promise<T[]> {
  for (;;) {
    const found = await look();
    if (found.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function untilIdle(page: Page, vm: string): Promise<void> {
  while ((await asked<{ active_job: unknown }>(page, `/v1/vm/${vm}?wait_seconds=10`)).active_job);
}

/** Sends a request that the page could send, with its session. Returns `data`, or the text of a stream. */
export async function ask<T>(page: Page, method: string, path: string, body: object): Promise<T> {
  const { status, text } = await page.evaluate(
    async ([method, url, json]) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
      const reply = await fetch(url, { method, headers, body: json });
      return { status: reply.status, text: await reply.text() };
    },
    [method, `/panel/api${path}`, JSON.stringify(body)] as const,
  );
  assert.equal(status, 200, `${method} ${path} ${JSON.stringify(body)}: ${text}`);
  return text.startsWith('{') ? JSON.parse(text).data : (text as T);
}

/** Returns the path of a page in this world. A new kind of variable must be added to `idOf`. */
export function pathOf(pattern: string, { idOf }: World): string {
  const parts = pattern.split('/');
  return parts
    .map((part, index) => {
      if (!part.startsWith('$')) return part;
      const id = idOf[parts.slice(0, index + 1).join('/')];
      assert.ok(id, `the world has nothing for ${pattern}`);
      return id;
    })
    .join('/');
}

/** Opens a page and waits until everything on it has loaded. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('h1').first().waitFor({ timeout: TIMEOUT_MS });
  await page.locator('main [role="status"][aria-label]').first().waitFor({ state: 'detached' });
}
