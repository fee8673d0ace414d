import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { REGULAR } from '../../server/documents/letters.ts';
import { loadLook } from '../../server/documents/look.ts';
import { Sheet } from '../../server/documents/sheet.ts';
import { defer } from '../support/cleanup.ts';
import { type PngOptions, png } from './support/png.ts';

const LIGHT = { color: '#2563c4', text: '#ffffff' };

async function fileOf(t: TestContext, content: Buffer | string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-look-'));
  defer(t, () => rm(directory, { recursive: true }));
  const path = join(directory, 'file');
  await writeFile(path, content);
  return path;
}

const withLogo = (documentLogo: string) =>
  loadLook({ documentLogo, documentFont: undefined }, { logo: null, light: LIGHT });
const withPanelLogo = (bytes: Buffer) =>
  loadLook(
    { documentLogo: undefined, documentFont: undefined },
    { logo: { type: 'image/png', hash: '', bytes }, light: LIGHT },
  );
const withFont = (documentFont: string) =>
  loadLook({ documentLogo: undefined, documentFont }, { logo: null, light: LIGHT });

async function pageWith(logo: Uint8Array): Promise<string> {
  const sheet = new Sheet({ title: '', language: 'en', issuedAt: new Date(0) });
  sheet.drawLogo(logo);
  sheet.pdf.end();
  return (await buffer(sheet.pdf)).toString('latin1');
}

test('a logo is drawn, opaque or transparent', async (t) => {
  for (const transparent of [false, true]) {
    const { logo } = await withLogo(await fileOf(t, png(300, 100, { transparent })));
    const page = await pageWith(logo!);
    assert.match(page, /\/Subtype \/Image[\s\S]*\/Width 300[\s\S]*\/Height 100/);
    assert.equal(page.includes('/SMask'), transparent);
  }
});

/** Possible defects in the pixels of a logo. */
const DAMAGES: Record<string, PngOptions> = {
  'cut off': { damage: (pixels) => pixels.subarray(0, pixels.length / 2) },
  'not compressed': { damage: (pixels) => Buffer.alloc(pixels.length, 7) },
  'too few': { damage: () => deflateSync(Buffer.alloc(5)) },
  'too many': { damage: () => deflateSync(Buffer.alloc(1_000_000)) },
  'of an unknown kind': { damage: () => deflateSync(Buffer.alloc(100 * (1 + 4 * 300), 9)) },
  interlaced: { interlaced: true },
};

for (const [name, options] of Object.entries(DAMAGES))
  test(`a logo whose pixels are ${name} is refused at the start, with the setting's name`, async (t) => {
    const damaged = png(300, 100, { transparent: true, ...options });
    await assert.rejects(withLogo(await fileOf(t, damaged)), /VAUBAN_DOCUMENT_LOGO: /);
    assert.equal((await withPanelLogo(damaged)).logo, null, 'the panel may show it: documents have none');
  });

test('a file that is no PNG, or is truncated, is refused with the name of its setting', async (t) => {
  const whole = png(300, 100, { transparent: true });
  for (const file of ['<svg/>', '', whole.subarray(0, 20), whole.subarray(0, -6)])
    await assert.rejects(withLogo(await fileOf(t, file)), /VAUBAN_DOCUMENT_LOGO: /);
  await assert.rejects(withLogo('/nonexistent.png'), /VAUBAN_DOCUMENT_LOGO: .* cannot be read/);
});

test('a font is used if it is one and has the letters of every document', async (t) => {
  assert.equal((await withFont(REGULAR)).font, REGULAR);
  for (const file of ['no font', ''])
    await assert.rejects(
      withFont(await fileOf(t, file)),
      /VAUBAN_DOCUMENT_FONT: .* is not a TrueType or OpenType/,
    );
  await assert.rejects(withFont('/nonexistent.ttf'), /VAUBAN_DOCUMENT_FONT: /);
});
