import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadBrand } from '../../server/config/brand.ts';
import { loadConfig } from '../../server/config/config.ts';
import { contrast } from '../../server/platform/color.ts';
import { ConfigError } from '../../server/platform/config-error.ts';

const directory = mkdtempSync(join(tmpdir(), 'vauban-brand-'));
after(() => rmSync(directory, { recursive: true }));

const brand = (env: NodeJS.ProcessEnv) => loadBrand(loadConfig(env));

function problem(env: NodeJS.ProcessEnv): string {
  try {
    brand(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems.join('\n');
  }
  return assert.fail('it was accepted');
}

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

test('contrast follows WCAG', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

test('a colour that is not readable is refused, with one that would work', () => {
  for (const color of ['#f5c518', '#00ff00', '#ff6600', '#ffffff', '#c0c0c0']) {
    const said = problem({ VAUBAN_PANEL_BRAND_COLOR: color });
    assert.match(said, /^VAUBAN_PANEL_BRAND_COLOR: .* is not readable on the light theme/);
    const [, offered] = /; (#[0-9a-f]{6}) would work$/.exec(said)!;
    assert.equal(brand({ VAUBAN_PANEL_BRAND_COLOR: offered }).light.color, offered);
  }
});

test('every accepted colour is readable on both themes, and so is text on it', () => {
  for (const color of ['#2563c4', '#000000', '#7a1fa2', '#8b0000', '#006400']) {
    const { light, dark } = brand({ VAUBAN_PANEL_BRAND_COLOR: color });
    assert.equal(light.color, color);
    assert.ok(contrast(dark.color, '#1d2026') >= 4.5, `${dark.color} on the dark theme`);
    for (const shade of [light, dark]) assert.ok(contrast(shade.color, shade.text) >= 4.5, color);
  }
});

test('a logo is an SVG or a PNG of a size that is no burden', () => {
  const svg = file(
    'logo.svg',
    '<?xml version="1.0"?>\n<!-- ours -->\n<svg xmlns="http://www.w3.org/2000/svg"/>',
  );
  assert.equal(brand({ VAUBAN_PANEL_LOGO: svg }).logo?.type, 'image/svg+xml');
  const png = file('logo.png', Buffer.from('89504e470d0a1a0a00', 'hex'));
  assert.equal(brand({ VAUBAN_PANEL_LOGO: png }).logo?.type, 'image/png');
  assert.match(
    problem({ VAUBAN_PANEL_LOGO: file('page.svg', '<html><svg/></html>') }),
    /must be an SVG or a PNG/,
  );
  assert.match(problem({ VAUBAN_PANEL_LOGO: file('big.png', Buffer.alloc(300_000)) }), /larger than 256 KB/);
  assert.match(problem({ VAUBAN_PANEL_LOGO: join(directory, 'none.svg') }), /cannot be read/);
});

test('missing companions are refused, and so are simulated payments in production', () => {
  const production = {
    VAUBAN_MODE: 'production',
    VAUBAN_PUBLIC_URL: 'https://a.example',
    VAUBAN_EDGE: 'off',
  };
  assert.equal(brand(production).signUp, 'closed');
  assert.equal(brand({}).signUp, 'open');
  assert.match(problem({ ...production, VAUBAN_PAYMENT_PROVIDERS: 'test' }), /refused in production/);
  assert.match(problem({ VAUBAN_MAIL_SMTP_URL: 'smtps://a.example' }), /^VAUBAN_MAIL_FROM: is required/);
  const stripe = { VAUBAN_PAYMENT_PROVIDERS: 'stripe, bank_transfer' };
  assert.equal(problem(stripe).split('\n').length, 4);
  assert.match(problem({ VAUBAN_PAYMENT_PROVIDERS: 'stripe, stripe' }), /must be some of/);
});

test('a secret comes from a file or a value, and is never repeated', () => {
  const from = { VAUBAN_MAIL_FROM: 'Example <no-reply@example.com>' };
  const path = file('smtp', 'smtps://user:p%40ss@mail.example.com\n');
  assert.deepEqual(loadConfig({ ...from, VAUBAN_MAIL_SMTP_URL_FILE: path }).mailSmtpUrl, {
    host: 'mail.example.com',
    port: 465,
    tls: 'implicit',
    user: 'user',
    password: 'p@ss',
  });
  const both = { VAUBAN_MAIL_SMTP_URL_FILE: path, VAUBAN_MAIL_SMTP_URL: 'smtp://hunter2@a.example' };
  assert.match(problem({ ...from, ...both }), /^VAUBAN_MAIL_SMTP_URL_FILE: set either/);
  const wrong = file('wrong', 'http://hunter2');
  const said = problem({ ...from, VAUBAN_MAIL_SMTP_URL_FILE: wrong });
  assert.ok(said.includes('must contain an address') && !said.includes('hunter2'));
});
