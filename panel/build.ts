import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig, type Plugin } from 'vite';
import { compressAll } from './compress.ts';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
/** The directory in which the service looks for the panel. */
const DIST = join(ROOT, 'dist');

/** The languages of the panel; React Aria brings its own texts in thirty more. */
const LANGUAGES = /\/(en-US|de-DE)\.m?js$/;

/** Leaves out React Aria's texts in languages that the panel does not have: a third of its size. */
const withoutOtherLanguages: Plugin = {
  name: 'without-other-languages',
  enforce: 'pre',
  load(id) {
    const isText = /\/intl\/.*\/[a-z]{2}-[A-Z]{2}\.m?js$/.test(id) && /react-(aria|stately)/.test(id);
    return isText && !LANGUAGES.test(id) ? 'export default {};' : undefined;
  },
};

/**
 * The builds, in order. The operator's pages are built separately: otherwise the code that they share with the customers'
 * pages would be split off in many small files, which are larger in total. The last build writes the licences of all of them.
 */
const DOCUMENTS = [['operator'], ['index', 'terminal']] as const;

function configuration(outDir: string, documents: readonly string[]): InlineConfig {
  return {
    configFile: false,
    root: ROOT,
    base: '/panel/',
    logLevel: 'warn',
    plugins: [react(), withoutOtherLanguages],
    build: {
      outDir,
      emptyOutDir: false,
      // The content security policy does not allow data URLs for fonts or scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // The first versions that know `light-dark()`, which the theme uses: for older ones the build would rewrite it.
      target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
      reportCompressedSize: false,
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        // A busy machine is not something that the person who installs it can fix.
        checks: { bundlerTimings: false },
        input: Object.fromEntries(documents.map((name) => [name, join(ROOT, `${name}.html`)])),
      },
    },
  };
}

/**
 * Builds the panel into `panel/dist`, compressed beforehand. Simultaneous builds do not interfere: each has its own
 * directory until it is complete.
 */
export async function buildPanel(): Promise<void> {
  const unfinished = `${DIST}.${process.pid}`;
  try {
    for (const documents of DOCUMENTS) await build(configuration(unfinished, documents));
    await compressAll(unfinished);
    await rm(DIST, { recursive: true, force: true });
    await rename(unfinished, DIST);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

if (import.meta.main) await buildPanel();
