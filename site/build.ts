import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { compressAll } from '../panel/compress.ts';
import type { OpenApiDocument } from '../server/http/openapi/document.ts';
import { type Assets, framed } from './render/layout.ts';
import { HOME, POSTMAN } from './render/links.ts';
import { llmsFullTxt, llmsTxt } from './render/llms.ts';
import { type Guide, guideOf, pagesOf } from './render/pages.ts';
import { postmanCollection } from './render/postman.ts';
import { rosterOf } from './render/roster.ts';
import { searchIndex } from './render/search-index.ts';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
/** The service looks for the site here. */
const DIST = join(ROOT, 'dist');
/** Shared with the panel. */
const ICON = join(ROOT, '../panel/src/favicon.svg');
/** In the order of the table of contents: what a newcomer needs comes first. */
const GUIDES = ['first-vm', 'idempotency', 'errors', 'limits', 'consoles', 'agent', 'shield'];

type ViteAssets = Omit<Assets, 'search' | 'icon'>;

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 8);

export async function readGuides(): Promise<Guide[]> {
  return Promise.all(
    GUIDES.map(async (name) => guideOf(name, await readFile(join(ROOT, 'guides', `${name}.md`), 'utf8'))),
  );
}

export async function readDocument(): Promise<OpenApiDocument> {
  return JSON.parse(await readFile(join(ROOT, '../openapi.json'), 'utf8'));
}

/** Returns the files of the site by their paths below /docs, except those that Vite builds. */
export async function renderSite(assets: ViteAssets): Promise<Map<string, string>> {
  const document = await readDocument();
  const roster = rosterOf(document);
  const guides = await readGuides();
  const index = JSON.stringify(searchIndex(document, roster, guides));
  const search = `assets/search-${hashOf(index)}.json`;
  const picture = await readFile(ICON, 'utf8');
  const icon = `assets/favicon-${hashOf(picture)}.svg`;
  const frame = { assets: { ...assets, search: HOME + search, icon: HOME + icon }, guides, roster };
  return new Map([
    ...pagesOf(document, roster, guides).map((page): [string, string] => [
      `${page.url === HOME ? 'index' : page.url.slice(HOME.length)}.html`,
      framed(frame, page),
    ]),
    [search, index],
    [icon, picture],
    [POSTMAN.slice(HOME.length), `${JSON.stringify(postmanCollection(document, roster), null, 2)}\n`],
    ['llms.txt', llmsTxt(document, roster, guides)],
    ['llms-full.txt', llmsFullTxt(document, roster, guides)],
  ]);
}

/** Builds the site into `site/dist`, already compressed. Two builds at the same time do not interfere. */
export async function buildSite(): Promise<void> {
  const unfinished = `${DIST}.${process.pid}`;
  try {
    for (const [path, text] of await renderSite(await buildAssets(unfinished))) {
      await mkdir(dirname(join(unfinished, path)), { recursive: true });
      await writeFile(join(unfinished, path), text);
    }
    await compressAll(unfinished);
    await rm(DIST, { recursive: true, force: true });
    await rename(unfinished, DIST);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Builds `site/src` with Vite: a script, a style sheet and fonts. */
async function buildAssets(outDir: string): Promise<ViteAssets> {
  await build({
    configFile: false,
    root: ROOT,
    base: HOME,
    logLevel: 'warn',
    build: {
      outDir,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
      reportCompressedSize: false,
      rolldownOptions: {
        checks: { bundlerTimings: false },
        input: { docs: join(ROOT, 'src/docs.ts') },
      },
    },
  });
  const names = await readdir(join(outDir, 'assets'));
  const named = (pattern: RegExp) =>
    names.filter((name) => pattern.test(name)).map((name) => `${HOME}assets/${name}`);
  const [script] = named(/^docs-.*\.js$/);
  return { script: script!, styles: named(/\.css$/) };
}

if (import.meta.main) await buildSite();
