import type { CommandRule, Form, Test } from './arguments.ts';
import { COUNT, matching, NAME, NAMED, NUMBER, oneOf, PATTERN, READABLE, TEXT } from './tests.ts';

/** Rules for file commands whose words have their own grammar. */

const GREP_FLAGS =
  'EFGivwxclnoqsHhaz --count --ignore-case --invert-match --line-number --no-messages --only-matching --extended-regexp --fixed-strings --no-filename --with-filename --word-regexp';
const GREP_RULE = {
  values: {
    '-A': COUNT,
    '-B': COUNT,
    '-C': COUNT,
    '-m': NUMBER,
    '--max-count': NUMBER,
    '--after-context': COUNT,
    '--before-context': COUNT,
    '--context': COUNT,
  },
  optional: { '--color': oneOf('always', 'auto', 'never') },
  reads: true,
} satisfies CommandRule;
/** Without `-e` and `-f`: with them, the word that looks like the pattern is a file. */
export const GREP: readonly CommandRule[] = [
  {
    ...GREP_RULE,
    flags: GREP_FLAGS,
    digits: true,
    operands: ([pattern, ...files]) => pattern !== undefined && PATTERN(pattern) && files.every(READABLE),
  },
  {
    // Without a file it would read the current directory.
    ...GREP_RULE,
    flags: `${GREP_FLAGS} r --recursive`,
    operands: ([pattern, ...files]) =>
      pattern !== undefined && PATTERN(pattern) && files.length > 0 && files.every(READABLE),
  },
];

/** Tests that `find` may make, and ways to print the results: nothing that acts on the files it finds. */
const FIND_FLAGS = new Set(
  '-xdev -mount -print -print0 -ls -empty -not ! -a -o -and -or ( ) -daystart -true -prune -quit -readable -writable -executable -nouser -nogroup'.split(
    ' ',
  ),
);
const FIND_VALUES: Record<string, Test> = {
  '-printf': TEXT,
  ...Object.fromEntries(['-name', '-iname', '-path', '-ipath'].map((name) => [name, TEXT])),
  '-type': matching(/^[bcdpfls](?:,[bcdpfls])*$/),
  '-size': matching(/^[+-]?\d{1,12}[bcwkMG]?$/),
  ...Object.fromEntries(
    ['-mtime', '-mmin', '-atime', '-amin', '-ctime', '-cmin', '-inum', '-links'].map((name) => [
      name,
      matching(/^[+-]?\d{1,12}$/),
    ]),
  ),
  '-maxdepth': matching(/^\d{1,3}$/),
  '-mindepth': matching(/^\d{1,3}$/),
  '-user': NAME,
  '-group': NAME,
  '-perm': matching(/^[/+-]?[0-7ugoa+=rwxst,-]+$/),
};

/** `find`'s own grammar: paths, then tests. Every word that begins with a dash must be known. */
export const FIND: Form = (words) => {
  let index = 0;
  while (index < words.length && !/^[-(!]/.test(words[index]!.value)) {
    if (!NAMED(words[index]!)) return false;
    index++;
  }
  for (; index < words.length; index++) {
    const { value, glob } = words[index]!;
    if (glob) return false;
    if (FIND_FLAGS.has(value)) continue;
    const operand = words[++index];
    if (!Object.hasOwn(FIND_VALUES, value) || !operand || !FIND_VALUES[value]!(operand)) return false;
  }
  return true;
};

const OF_FILE = oneOf(...'defhrswxLS'.split('').map((letter) => `-${letter}`));
const OF_TEXT = oneOf('-n', '-z');
const COMPARES = oneOf('=', '!=');
const COMPARES_NUMBERS = oneOf('-eq', '-ne', '-lt', '-le', '-gt', '-ge');
const COMPARES_FILES = oneOf('-nt', '-ot', '-ef');
const INTEGER = matching(/^-?\d{1,15}$/);
const PLAIN = matching(/^[\w./][\w./-]*$/);
const PATH: Test = (word) => !word.glob && NAMED(word);

/** No brackets or dollar signs: bash evaluates the index of an array, including any command in it. */
export const TEST: Form = ([first, ...rest]) => {
  const words = first?.value === '!' ? rest : first ? [first, ...rest] : [];
  const [left, right, last] = words;
  if (!left || !right) return false;
  if (words.length === 2) return (OF_FILE(left) && PATH(right)) || (OF_TEXT(left) && PLAIN(right));
  if (words.length !== 3 || !last) return false;
  return (
    (COMPARES(right) && PLAIN(left) && PLAIN(last)) ||
    (COMPARES_NUMBERS(right) && INTEGER(left) && INTEGER(last)) ||
    (COMPARES_FILES(right) && PATH(left) && PATH(last))
  );
};
