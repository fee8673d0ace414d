import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { ENDPOINTS } from '../../../server/endpoints/customer/index.ts';
import { PANEL_ENDPOINTS } from '../../../server/endpoints/panel/index.ts';
import { NO_BROWSER } from '../../consoles/support/browser.ts';
import { defer } from '../../support/cleanup.ts';
import { registersPasskey } from './story/identity.ts';
import { asked, button, dialog, heading, PERSON } from './story/stage.ts';
import { complaintsOf, hostsOf } from './support/complaints.ts';
import { ACCEPTED_ELSEWHERE, REFUSED_ELSEWHERE } from './support/elsewhere.ts';
import { HOSTILE, HOSTILE_WORDS, UNSEEN } from './support/hostile-words.ts';
import { routePages } from './support/routes.ts';
import { ask, OWNER, openWorld, pathOf, visit, type World } from './support/world.ts';

/** Collects a report of every script that ran because a page treated text as code. */
async function watch(context: BrowserContext): Promise<unknown[]> {
  const ran: unknown[] = [];
  await context.exposeBinding('__xss', (_source, which) => void ran.push(which));
  context.on('page', (page) => page.on('dialog', (shown) => ran.push(shown.message())));
  return ran;
}

/** All text of a page, including the contents of its fields. */
const textOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')];
    return [document.body.innerText, ...fields.map(({ value }) => value)].join('\n');
  });

/** Starts a page on another site, and one on the same site with another port, which cookies do not distinguish. */
async function otherOrigins(t: TestContext): Promise<{ site: string; port: string }> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>evil</title>'),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { site: `http://127.0.0.1:${port}`, port: `http://localhost:${port}` };
}

/** Texts that openWorld sets everywhere, and those that this file sets. */
const HOSTILE_FIELDS = [
  'addFirewallRule.description',
  'addPasskey.name',
  'addPortForward.description',
  'addShieldRule.comment',
  'addSshKey.name',
  'createConsoleShare.label',
  'createKey.label',
  'createSnapshot.description',
  'createSnapshot.name',
  'runAgent.message',
  'setBillingProfile.city',
  'setBillingProfile.name',
  'setBillingProfile.order_reference',
  'setBillingProfile.postcode',
  'setBillingProfile.street',
  'updateProfile.name',
  'updateVm.notes',
];
/** Texts that must name something, follow a format or be a secret, and other operations that set one of the above. */
const HARMLESS =
  /\.(email|password|token|code|public_key|user_data|(\w+_)?(id|ids|ips|ports)|cidrs|source|provider|image|plan|template|region|zone|country|vat_id|mail_to)$|^closeAccount|^completeSignUp\.name$|^create(Custom)?Vm\.notes$|approval\.reason$/;
const MARKUP = '<img src=x>';

/** Returns every text in a body that could contain markup, as the operation and the path to it. */
function textsIn(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    type,
    format,
    pattern,
    maxLength = 999,
    properties = {},
    items,
    anyOf = [],
    ...rest
    // biome-ignore lint/suspicious/noExplicitAny: a schema, as JSON has it
  } = schema as any;
  const isText = [type].flat().includes('string') && !format && !('enum' in rest || 'const' in rest);
  const takes = isText && maxLength >= MARKUP.length && (!pattern || new RegExp(pattern, 'u').test(MARKUP));
  return [
    ...(takes ? [path] : []),
    ...Object.entries(properties).flatMap(([name, below]) => textsIn(below, `${path}.${name}`)),
    ...[items, ...anyOf].flatMap((below) => textsIn(below, path)),
  ];
}

test('every text that people can set is among those that are tried', () => {
  const texts = [...PANEL_ENDPOINTS, ...ENDPOINTS].flatMap(({ operation, body }) => textsIn(body, operation));
  const found = [...new Set(texts)].filter((path) => !HARMLESS.test(path)).sort();
  assert.deepEqual(found, HOSTILE_FIELDS);
});

test('a panel full of hostile texts, and other sites', { skip: NO_BROWSER }, async (t) => {
  const world = await openWorld(t, HOSTILE_WORDS);
  const ran = await watch(world.context);
  await t.test('every text is shown as text, on every page', () => readsEveryPage(world, ran));
  await t.test('and so is the output of a machine, also in a shared terminal', () =>
    writesInTerminal(world, ran),
  );
  const evil = await otherOrigins(t);
  await t.test('no other site can frame our pages', () => refusesFrames(world, evil.site));
  await t.test('no other site can send requests in our name', () => refusesForeignRequests(world, evil));
  await t.test('a sign-in never leads to another site, and has its own session', () => signsInHere(world));
  assert.deepEqual(ran, []);
});

async function readsEveryPage(world: World, ran: unknown[]): Promise<void> {
  const { page, baseUrl, said, complaints, hosts } = world;
  await registersPasskey(world, HOSTILE[0]!);
  said.set('/account/security', [HOSTILE[0]!]);
  await ask(page, 'POST', '/keys', { label: UNSEEN, scopes: ['vm:read'] });
  said.get('/keys')!.push(UNSEEN);
  const brand = HOSTILE_WORDS.one('', 40);
  for (const { pattern, isInside } of await routePages()) {
    if (!isInside) continue;
    await visit(page, `${baseUrl}/panel${pathOf(pattern, world)}`);
    assert.deepEqual(await missing(page, [brand, ...(said.get(pattern) ?? [])]), [], pattern);
    await opensQuestions(page);
    assert.deepEqual([ran, complaints], [[], []], pattern);
  }
  // A key pressed before the page has attached its listeners is lost.
  await visit(page, `${baseUrl}/panel/machines`);
  await page.keyboard.press('Control+k');
  await page.locator('input[role=combobox]').fill('<img src=x onerror=__xss(0)>');
  assert.deepEqual([...hosts], [new URL(baseUrl).host]);
  const seen = [...said.values()].flat().join('\n');
  assert.deepEqual(
    HOSTILE.filter((text) => !seen.includes(text)),
    [],
    'each was seen',
  );
}

/** The number of polls of a page that is still loading, and the interval between them. */
const LOOKS = 100;
const LOOK_EVERY_MS = 100;

/** Returns the texts that a page does not show literally after it has loaded. */
async function missing(page: Page, texts: string[]): Promise<string[]> {
  for (let look = 1; ; look++) {
    const said = await textOf(page);
    const lacks = texts.filter((text) => !said.includes(text));
    if (lacks.length === 0 || look === LOOKS) return lacks;
    await page.waitForTimeout(LOOK_EVERY_MS);
  }
}

/** Opens the confirmation dialogs of deletions, which show the name of the thing to delete. */
async function opensQuestions(page: Page): Promise<void> {
  const questions = page
    .getByRole('main')
    .getByRole('button', { name: /^(Revoke|Restore|Delete|Remove|Withdraw)/ });
  for (const question of (await questions.all()).slice(0, 2)) {
    if (!(await question.isEnabled())) continue;
    await question.click();
    await dialog(page).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  }
}

async function writesInTerminal(world: World, ran: unknown[]): Promise<void> {
  const { page, browser, baseUrl, vm, shareUrl } = world;
  await page.goto(`${baseUrl}/panel/machines/${vm}/terminal`);
  const stranger = await browser.newContext();
  const [elsewhere, complaints, hosts] = [await watch(stranger), complaintsOf(stranger), hostsOf(stranger)];
  const shared = await stranger.newPage();
  await shared.goto(shareUrl);
  const own = page.frameLocator('iframe').locator('.xterm-rows');
  const theirs = shared.locator('.xterm-rows');
  for (const screen of [own, theirs]) await screen.getByText('$').first().waitFor();
  const [markup, script] = [HOSTILE[0]!, HOSTILE[3]!];
  const line = `printf '\\e]0;%s\\a%s\\n' '${script}' '${markup}'\n`;
  await page.frameLocator('iframe').locator('textarea').focus();
  for (const [typing, screen] of [
    [page, own],
    [shared, theirs],
  ] as const) {
    await typing.keyboard.type(line);
    await screen
      .getByText(new RegExp(`^${markup.replace(/[()]/g, '\\$&')}\\s*$`))
      .first()
      .waitFor();
  }
  assert.ok((await textOf(shared)).includes(HOSTILE_WORDS.one('', 64)), 'what it is shared for');
  assert.deepEqual([ran, elsewhere, complaints], [[], [], []]);
  assert.deepEqual([...hosts], [new URL(baseUrl).host]);
  await stranger.close();
}

async function refusesFrames(
  { browser, context, baseUrl, vm, shareUrl }: World,
  evil: string,
): Promise<void> {
  const victim = await browser.newContext();
  await victim.addCookies(await context.cookies());
  const page = await victim.newPage();
  const paths = ['/panel/', '/panel/sign-in', `/panel/machines/${vm}`, `/panel/terminal?vm=${vm}`, '/docs'];
  for (const url of [...paths.map((path) => baseUrl + path), shareUrl]) {
    await page.goto(evil);
    const refused = page.waitForEvent('console', (message) =>
      /frame-ancestors|X-Frame-Options/.test(message.text()),
    );
    await page.evaluate((src) => {
      document.body.append(Object.assign(document.createElement('iframe'), { src }));
    }, url);
    await refused;
    assert.ok(!page.frames().some((frame) => frame.url().startsWith(baseUrl)), url);
  }
  await victim.close();
}

/** From another port of the same host the cookie is sent, whatever SameSite says. */
async function refusesForeignRequests(
  { context, baseUrl }: World,
  evil: { site: string; port: string },
): Promise<void> {
  const page = await context.newPage();
  const before = (await context.cookies()).find(({ name }) => name.endsWith('session'))!.value;
  // test/panel/access.full.test.ts tries each operation; browsers treat requests differently only by method.
  const byMethod = new Map([...PANEL_ENDPOINTS, ...ENDPOINTS].map((one) => [one.method, one]));
  const requests = [...byMethod.values()].map(({ method, path }) => ({
    method,
    url: `${baseUrl}/panel/api${path.replace(/\{\w+\}/g, 'vm_00000000000000000000000000')}`,
  }));
  for (const origin of [evil.site, evil.port]) {
    await page.goto(origin);
    // Requests that a page may send without reading the reply, and requests that need permission.
    const heard = await page.evaluate(async (all) => {
      const bodies = [];
      for (const { method, url } of all) {
        const body = method === 'GET' ? undefined : '{}';
        const hidden = method === 'GET' || method === 'POST';
        if (hidden) await fetch(url, { method, body, mode: 'no-cors', credentials: 'include' });
        bodies.push(
          await fetch(url, { method, body, credentials: 'include' }).then(
            (reply) => reply.text(),
            () => null,
          ),
        );
      }
      return bodies;
    }, requests);
    assert.deepEqual(
      heard.filter((text) => text !== null),
      [],
      origin,
    );
    await page.goto(origin);
    await page.evaluate((action) => {
      const form = Object.assign(document.createElement('form'), {
        action,
        method: 'post',
        enctype: 'text/plain',
      });
      document.body.append(form);
      form.submit();
    }, `${baseUrl}/panel/api/account/close`);
    await page.getByText(/origin_not_allowed|session_required|unsupported_media_type/).waitFor();
  }
  await page.close();
  const after = (await context.cookies()).find(({ name }) => name.endsWith('session'))!.value;
  assert.equal(after, before, 'nothing was signed out');
}

/** One of the refused URLs is enough: `test/panel/next.test.ts` tries the others. */
const FOLLOWED = [...ACCEPTED_ELSEWHERE, REFUSED_ELSEWHERE[0]!];

async function signsInHere({ browser, context, page, baseUrl, idOf, mailedLink }: World): Promise<void> {
  const own = new URL(baseUrl).host;
  // After a payment, the way to continue is a link.
  for (const next of FOLLOWED) {
    const query = new URLSearchParams({ next });
    await visit(page, `${baseUrl}/panel/billing/top-ups/${idOf['/billing/top-ups/$id']}?${query}`);
    const onward = page.getByRole('main').getByRole('link').first();
    const leads = await onward.evaluate((link) => (link as HTMLAnchorElement).href);
    assert.equal(new URL(leads).host, own, next);
  }
  const fresh = await browser.newContext();
  const ran = await watch(fresh);
  const victim = await fresh.newPage();
  await victim.goto(`${baseUrl}/panel/password-reset`);
  await victim.getByLabel('E-mail').fill(OWNER);
  await button(victim, 'Send link').click();
  const link = await mailedLink('reset-password', OWNER);
  await victim.goto(link);
  await victim.getByLabel('New password').fill(PERSON.password);
  await button(victim, 'Save password').click();
  await heading(victim, 'Your password is changed').waitFor();
  await victim.goto('about:blank');
  await victim.goto(link);
  await heading(victim, 'This link no longer works').waitFor();
  // The reset has ended the existing session.
  await page.goto(`${baseUrl}/panel/machines`);
  await heading(page, 'Sign in').waitFor();

  // An attacker has planted a session of their own.
  const planted = { name: 'vauban_session', value: 'A'.repeat(54), url: baseUrl };
  const sessions = new Set([planted.value]);
  for (const next of FOLLOWED) {
    await fresh.clearCookies();
    await fresh.addCookies([planted]);
    await victim.goto(`${baseUrl}/panel/sign-in?${new URLSearchParams({ next })}`);
    await victim.getByLabel('E-mail').fill(OWNER);
    await victim.getByLabel('Password', { exact: true }).fill(PERSON.password);
    await button(victim, 'Sign in').click();
    await victim.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
    assert.equal(new URL(victim.url()).host, own, next);
    sessions.add((await fresh.cookies()).find(({ name }) => name === planted.name)!.value);
  }
  assert.equal(sessions.size, FOLLOWED.length + 1, 'each sign-in has made a session of its own');

  // A page that was left must not be shown again.
  await visit(victim, `${baseUrl}/panel/machines`);
  await victim.getByRole('button', { name: 'Your account' }).click();
  await victim.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading(victim, 'Sign in').waitFor();
  await victim.goBack();
  await heading(victim, 'Sign in').waitFor();
  assert.ok(!(await textOf(victim)).includes('web-1'));
  assert.equal(await asked(victim, '/session'), undefined);
  assert.deepEqual(ran, []);
  await context.clearCookies();
  await fresh.close();
}
