import type { Grammar } from './arguments.ts';
import { FIND, GREP, TEST } from './file-forms.ts';
import {
  COUNT,
  each,
  exactly,
  FIELDS,
  matching,
  NAME,
  NAMED,
  NUMBER,
  none,
  oneOf,
  READABLE,
  some,
  TEXT,
} from './tests.ts';

const LIST = matching(/^[\d,-]+$/);
/** The sed and awk programs that print lines or columns; any other may write files or start commands. */
const SED_LINES = matching(/^(?:\d+|\$|\d+,(?:\d+|\$)|\/[^/\\[\n]+\/)p$/);
const AWK_COLUMNS = matching(/^(?:NR ?[<>=!]=? ?\d+ ?)?\{ ?print(?: ?(?:\$\d+|\$NF|"[ :=/,-]*"),?)* ?\}$/);
const WHEN = oneOf('always', 'auto', 'never');
const SOME_LINES = { '-n': NUMBER, '--lines': NUMBER, '-c': NUMBER, '--bytes': NUMBER };

/** Commands that show file names, the content of files without secrets, or input from a pipe. */
export const FILES: Grammar = {
  ls: {
    flags:
      'aAlhtrRSd1FiCgopscunNqQUvXmZ --all --almost-all --human-readable --full-time --group-directories-first --recursive --directory --inode --reverse --size',
    values: {
      '--sort': oneOf('none', 'size', 'time', 'version', 'extension'),
      '--time-style': matching(/^(?:full-iso|long-iso|iso|locale|\+[\w %:.+-]*)$/),
    },
    optional: { '--color': WHEN },
    operands: each(NAMED),
  },
  stat: { flags: 'fLt', values: { '-c': TEXT, '--format': TEXT }, operands: some(NAMED) },
  du: {
    flags: 'ashkmcxbSl0 --summarize --human-readable --all --one-file-system --total --apparent-size --bytes',
    values: {
      '-d': COUNT,
      '--max-depth': matching(/^\d$/),
      '-t': NUMBER,
      '--threshold': NUMBER,
      '--exclude': TEXT,
    },
    optional: { '--time': oneOf('atime', 'ctime') },
    operands: each(NAMED),
  },
  df: {
    flags: 'ahHiklPTm --all --human-readable --inodes --local --print-type --total --portability',
    values: {
      '-x': NAME,
      '--exclude-type': NAME,
      '-t': NAME,
      '--type': NAME,
      '-B': NUMBER,
      '--block-size': NUMBER,
    },
    optional: { '--output': FIELDS },
    // `df` opens its operands, and some devices react to that: a watchdog resets the machine when it is closed.
    operands: each((word) => NAMED(word) && !/^[/.]*(?:dev|proc|sys)\b/.test(word.value)),
  },
  pwd: { flags: 'LP' },
  cd: { operands: exactly((word) => !word.glob && NAMED(word)) },
  readlink: { flags: 'fenv', operands: some(NAMED) },
  realpath: { flags: 'e', operands: some(NAMED) },
  basename: { operands: some(TEXT, 2) },
  dirname: { operands: some(TEXT) },
  namei: { flags: 'lom', operands: some(NAMED) },
  which: { flags: 'a', operands: some(NAME) },
  whereis: { flags: 'bms', operands: some(NAME) },
  type: { flags: 'apt', operands: some(NAME) },
  true: {},
  false: {},
  sleep: { operands: exactly(matching(/^([0-9]|[12][0-9]|30)(\.\d+)?s?$/)) },
  find: FIND,
  test: TEST,
  echo: (words) => words.every((word) => !word.glob || NAMED(word)),
  cat: { flags: 'AbeEnsTv --number --show-all', operands: each(READABLE), reads: true },
  nl: { operands: each(READABLE), reads: true },
  head: {
    digits: true,
    flags: 'qv --quiet --verbose',
    values: SOME_LINES,
    operands: each(READABLE),
    reads: true,
  },
  tail: {
    digits: true,
    flags: 'qv --quiet --verbose',
    values: SOME_LINES,
    operands: each(READABLE),
    reads: true,
  },
  wc: { flags: 'lwcmL --lines --words --bytes --chars', operands: each(READABLE), reads: true },
  sort: {
    flags: 'bdfghnMrRsuVz --numeric-sort --reverse --unique --human-numeric-sort',
    values: {
      '-k': matching(/^[\d.,bdfghinrMRV]+$/),
      '--key': matching(/^[\d.,bdfghinrMRV]+$/),
      '-t': matching(/^(?:.|\\t)$/),
    },
    // `sort` cannot see the size of files that the kernel generates, and sorts them in a temporary file.
    operands: each((word) => READABLE(word) && !word.value.includes('proc')),
    reads: true,
  },
  // `uniq` writes to a second file, so it gets none.
  uniq: {
    flags: 'cdiuDz --count --repeated --unique',
    values: { '-f': COUNT, '-s': COUNT, '-w': COUNT },
    operands: none,
  },
  cut: {
    flags: 'sz --complement',
    values: { '-d': matching(/^[^\n]$/), '-f': LIST, '-c': LIST, '-b': LIST },
    operands: each(READABLE),
    reads: true,
  },
  tr: { flags: 'dsc', operands: some(TEXT, 2) },
  column: {
    flags: 'tx',
    values: { '-s': matching(/^[^\n]{1,4}$/) },
    operands: each(READABLE),
    reads: true,
  },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  sed: {
    flags: 'nE --quiet',
    operands: ([program, ...files], options) =>
      (options.has('-n') || options.has('--quiet')) &&
      program !== undefined &&
      SED_LINES(program) &&
      files.every(READABLE),
    reads: true,
  },
  awk: {
    values: { '-F': matching(/^[ :=/,;|\t-]{1,2}$/) },
    operands: ([program, ...files]) => program !== undefined && AWK_COLUMNS(program) && files.every(READABLE),
    reads: true,
  },
};
