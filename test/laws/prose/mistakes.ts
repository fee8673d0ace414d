import { projectFiles, read } from '../../support/source.ts';
import { PATTERNS } from './patterns.ts';
import { type Piece, piecesOfCode, piecesOfDocument } from './split.ts';

/** SQL, and names of things, are not sentences. */
const NOT_A_SENTENCE =
  /^(?:select\b|insert into\b|update \w+ set\b|delete from\b|with \w+ as\b|(?:create|alter|drop) (?:table|index)\b)|\b(?:set|where) \w+ = |^\S+(?:\s\S+)?$/;
/**
 * A released migration is never edited, the reference of settings is generated from their texts, and this law has
 * examples of mistakes.
 */
const KEPT = /^server\/db\/migrations\/|^(?:CHANGELOG|docs\/configuration)\.md$|^test\/laws\/prose/;

function piecesOf(path: string): Piece[] {
  const source = read(path);
  if (path.endsWith('.md')) return piecesOfDocument(source);
  if (source.slice(0, 200).includes('do not edit.')) return [];
  const isTest = /^(?:test|bench)\/|\.test\.ts$/.test(path);
  // The texts of a test are mostly those of the service, which are checked where they are written.
  return piecesOfCode(source).filter(
    ({ kind, text }) => kind !== 'text' || (!isTest && !NOT_A_SENTENCE.test(text.trim())),
  );
}

/** Returns the mistakes in a file, each with its place and the words to write instead. */
function mistakesIn(path: string): string[] {
  return piecesOf(path).flatMap(({ kind, text, line }) =>
    PATTERNS.filter(({ kinds = [kind] }) => kinds.includes(kind)).flatMap(({ pattern, instead }) => {
      const found = pattern.exec(text);
      if (!found) return [];
      const around = text.slice(Math.max(0, found.index - 30), found.index + found[0].length + 30);
      return `${path}:${line}: "${around.replace(/\s+/g, ' ').trim()}": write ${instead}`;
    }),
  );
}

/** Returns the mistakes of each file of the project that has any. */
export function mistakesByFile(): Map<string, string[]> {
  const paths = projectFiles().filter((path) => /\.(?:tsx?|mjs|go|md)$/.test(path) && !KEPT.test(path));
  return new Map(
    paths.map((path) => [path, mistakesIn(path)] as const).filter(([, found]) => found.length > 0),
  );
}
