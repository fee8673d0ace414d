import assert from 'node:assert/strict';
import { basename, dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { projectFiles, read } from '../support/source.ts';

const FILES = projectFiles();
const DIRECTORIES = new Set(FILES.flatMap((path) => ancestors(path)));
const DOCUMENTS = FILES.filter(
  (path) => path.endsWith('.md') && (!path.includes('/') || path.startsWith('docs/')),
);
const SOURCE_NAME = /\.(ts|md|json|ya?ml|sql|sh|html|css|js)$/;
/** Created at run time, by the installation or by `npm run generate`, so never in the repository. */
const MADE_LATER = /^(data|node_modules|(panel|terraform)\/dist|(panel|operator)-openapi\.json)(\/|$)/;

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...ancestors(parent)];
}

/** Returns whether a word in backticks is meant as a path in this repository, not as a URL, a command or a value. */
function looksLikePath(word: string): boolean {
  if (!/^[\w.@-]+(\/[\w.@-]*)*$/.test(word) || MADE_LATER.test(word)) return false;
  if (word.startsWith('.') && !word.startsWith('.//') && !word.startsWith('../')) return word.includes('/');
  return SOURCE_NAME.test(word) || word.endsWith('/') || DIRECTORIES.has(word.split('/')[0]!);
}

function exists(word: string, document: string): boolean {
  const known = (path: string) => FILES.includes(path) || DIRECTORIES.has(path);
  const path = normalize(word).replace(/\/$/, '');
  // A name without a directory may be any file of that name: the surrounding text says which.
  const anywhere = !word.includes('/') && FILES.some((file) => basename(file) === word);
  return anywhere || known(path) || known(normalize(join(dirname(document), path)));
}

test('every path that a document names exists', () => {
  const missing = DOCUMENTS.flatMap((document) => {
    const words = [...read(document).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, word]) => word!);
    const links = [...read(document).matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, target]) => target!);
    return [...words.filter(looksLikePath), ...links]
      .filter((word) => !exists(word, document))
      .map((word) => `${document}: ${word}`);
  });
  assert.deepEqual(missing, []);
});

/** Returns the anchors of a document's headings as GitHub generates them. */
function anchorsOf(document: string): Set<string> {
  const headings = read(document).matchAll(/^#+ (.+)$/gm);
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  return new Set([...headings].map(([, heading]) => anchor(heading!)));
}

test('every link to a section of a document leads to one', () => {
  const dead = DOCUMENTS.flatMap((document) => {
    const links = [...read(document).matchAll(/\]\(([\w./-]*\.md)?#([^)\s]+)\)/g)];
    return links
      .filter(([, file, anchor]) => {
        const target = file === undefined ? document : join(dirname(document), file);
        return FILES.includes(target) && !anchorsOf(target).has(anchor!);
      })
      .map(([link]) => `${document}: ${link}`);
  });
  assert.deepEqual(dead, []);
});

/** The length that a stranger reads before deciding whether to continue. */
const README_LINES = 90;

test('the README is short', () => {
  const lines = read('README.md').trimEnd().split('\n').length;
  assert.ok(lines <= README_LINES, `README.md has ${lines} lines: move something to a document of its own`);
});

test('the project names no machine and no registry of packages', () => {
  // Composed here, so that this file does not match itself.
  const places = [
    new RegExp(`(^|[\\s"'\`(=:])/${'work'}/`, 'm'),
    new RegExp(`\\b${'registry'}\\.[a-z0-9-]+\\.[a-z]{2,}\\b`, 'i'),
    /"resolved":\s*"https?:/,
  ];
  const offences = FILES.filter((path) => {
    const text = read(path);
    return !text.includes('\0') && places.some((place) => place.test(text));
  });
  assert.deepEqual(offences, []);
});
