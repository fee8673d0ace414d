import { absolute, isWithin, nameOf, parentOf } from '../system/paths.ts';
import { globSource, plain, regularExpression } from './pattern.ts';
import type { Shell } from './shell.ts';
import type { Part, Word } from './syntax.ts';

type Substitute = (script: string) => Promise<string>;

/** A command line with more words than this is a mistake. */
const MAX_WORDS = 4096;

function variable(shell: Shell, name: string): string {
  if (name === '?') return String(shell.last);
  if (name === '$') return '4242';
  if (name === '#') return '0';
  if (name === 'PWD') return shell.cwd;
  return shell.env.get(name) ?? '';
}

async function textOf(shell: Shell, part: Part, substitute: Substitute): Promise<string> {
  if (part.kind === 'command') return substitute(part.text);
  return part.kind === 'variable' ? variable(shell, part.text) : part.text;
}

function withHome(shell: Shell, word: Word): Word {
  const [first, ...rest] = word;
  if (first?.kind !== 'text' || first.quoted || !/^~(\/|$)/.test(first.text)) return word;
  return [{ ...first, text: shell.home + first.text.slice(1) }, ...rest];
}

/**
 * Expands a word to a single text, without splitting it or matching files, such as the file after `>` or the value of a
 * variable.
 */
export async function expandWord(shell: Shell, word: Word, substitute: Substitute): Promise<string> {
  let text = '';
  for (const part of withHome(shell, word)) text += await textOf(shell, part, substitute);
  return text;
}

/**
 * Returns the words that a command receives: variables and commands are replaced, and the result is split at blanks and
 * matched against files.
 */
export async function expandWords(shell: Shell, words: Word[], substitute: Substitute): Promise<string[]> {
  const expanded: string[] = [];
  for (const word of words) {
    for (const field of await fieldsOf(shell, withHome(shell, word), substitute)) {
      expanded.push(...(field.pattern ? matches(shell, field) : [field.text]));
    }
    if (expanded.length > MAX_WORDS) return expanded.slice(0, MAX_WORDS);
  }
  return expanded;
}

interface Field {
  text: string;
  /** Source of a regular expression in which quoted wildcards are literal; absent without a wildcard. */
  pattern?: string;
  source: string;
}

async function fieldsOf(shell: Shell, word: Word, substitute: Substitute): Promise<Field[]> {
  const fields: Field[] = [];
  let open: Field | undefined;
  const add = (text: string, quoted: boolean) => {
    open ??= { text: '', source: '' };
    open.text += text;
    const source = quoted ? plain(text) : globSource(text);
    open.source += source;
    if (!quoted && /[*?]/.test(text)) open.pattern = '';
  };
  const close = () => {
    if (open) fields.push(open.pattern === undefined ? open : { ...open, pattern: open.source });
    open = undefined;
  };
  for (const part of word) {
    const value = await textOf(shell, part, substitute);
    if (part.kind === 'text' || part.quoted) {
      add(value, part.quoted);
      continue;
    }
    for (const [index, piece] of value.split(/\s+/).entries()) {
      if (index > 0) close();
      if (piece) add(piece, false);
    }
  }
  close();
  return fields;
}

/** Returns the paths that match a pattern, in the form it was written; the pattern itself if there are none. */
function matches(shell: Shell, { text, pattern }: Field): string[] {
  const fixed = text.slice(0, text.search(/[*?]/));
  const directory = absolute(shell.cwd, fixed.slice(0, fixed.lastIndexOf('/') + 1) || '.');
  const prefix = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  const expression = regularExpression(`^${pattern}$`);
  const found = shell.system.files
    .tree(directory)
    .filter((path) => path !== directory && isWithin(directory, path) && !nameOf(path).startsWith('.'))
    .map((path) => prefix + path.slice(directory === '/' ? 1 : directory.length + 1))
    .filter((path) => expression?.found(path) && parentOf(path) !== '');
  return found.length > 0 ? found : [text];
}
