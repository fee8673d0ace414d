import type { CommandRule } from './arguments.ts';
import { each, exactly, NAME, NUMBER, none, PATH, READABLE, some, TEXT } from './tests.ts';

const LIST = ({ value }: { value: string }) => /^[\d,-]+$/.test(value);
/** The programs of sed and awk that print lines or columns; any other may write files and start commands. */
const SED_LINES = ({ value }: { value: string }) => /^\d+(,(\d+|\$))?p$/.test(value);
const AWK_COLUMNS = ({ value }: { value: string }) =>
  /^(?:NR ?[<>=!]=? ?\d+ ?)?\{ ?print(?: ?(?:\$\d+|\$NF|"[ :=/,-]*"),?)* ?\}$/.test(value);

const GREP_FLAGS =
  'EFPGivwxclnoqsHhaz --color --count --ignore-case --invert-match --line-number --no-messages';
const GREP_VALUES = { '-A': NUMBER, '-B': NUMBER, '-C': NUMBER, '-m': NUMBER, '--max-count': NUMBER };
/** No `-e` and `-f`: with them what looks like the pattern is a file. */
const GREP: CommandRule[] = [
  {
    flags: GREP_FLAGS,
    values: GREP_VALUES,
    digits: true,
    operands: ([pattern, ...files]) => pattern !== undefined && TEXT(pattern) && files.every(READABLE),
  },
  {
    flags: `${GREP_FLAGS} r`,
    values: GREP_VALUES,
    operands: ([pattern, ...files], options) =>
      pattern !== undefined && TEXT(pattern) && some(READABLE)(files, options),
  },
];

/** What `find` may look at, and how it may show it: nothing that acts on what it finds. */
const FIND_FLAGS = new Set([
  '-xdev',
  '-mount',
  '-print',
  '-ls',
  '-empty',
  '-not',
  '-a',
  '-o',
  '-daystart',
  '-true',
]);
const FIND_VALUES = new Set(
  '-printf -name -iname -path -ipath -type -size -mtime -mmin -atime -ctime -cmin -maxdepth -mindepth -user -group -perm -inum -links'.split(
    ' ',
  ),
);

/** `find`'s own grammar: paths, then tests; every word that begins with a dash is one that is known. */
function findLooks(words: readonly { value: string; glob: boolean }[]): boolean {
  let index = 0;
  while (index < words.length && !/^[-(!]/.test(words[index]!.value)) {
    if (words[index]!.glob && !words[index]!.value.startsWith('/')) return false;
    index++;
  }
  for (; index < words.length; index++) {
    const { value, glob } = words[index]!;
    if (glob) return false;
    if (FIND_FLAGS.has(value)) continue;
    const operand = words[++index];
    if (!FIND_VALUES.has(value) || !operand || operand.glob) return false;
  }
  return true;
}

const IP_OPTIONS = new Set(['-br', '-brief', '-c', '-color', '-s', '-d', '-4', '-6', '-o', '-j', '-p']);
const IP_OBJECTS = new Set([
  'a',
  'addr',
  'address',
  'l',
  'link',
  'r',
  'route',
  'n',
  'neigh',
  'neighbour',
  'rule',
  'maddr',
]);
const IP_VERBS = new Set(['show', 'list', 'ls']);

/** `ip -br addr show dev eth0`. Its options are words, its verbs may be cut short: only whole ones are known. */
function ipShows(words: readonly { value: string; glob: boolean }[]): boolean {
  const start = words.findIndex(({ value }) => !IP_OPTIONS.has(value));
  const [object, verb, ...rest] = start < 0 ? [] : words.slice(start);
  if (!object || !IP_OBJECTS.has(object.value)) return false;
  if (verb && !IP_VERBS.has(verb.value)) return false;
  return rest.every(({ value, glob }) => !glob && /^[A-Za-z0-9.:/_-]+$/.test(value));
}

/** Rules for the words of commands whose arguments follow no common form. */
export const READ_ONLY_OWN_FORM: Record<
  string,
  (words: readonly { value: string; glob: boolean }[]) => boolean
> = {
  find: findLooks,
  // No brackets and dollars: bash evaluates the index of an array, and with it any command in there.
  test: (words) =>
    words.length <= 4 && words.every(({ glob, value }) => !glob && /^[\w./=!<>-]*$/.test(value)),
  ip: ipShows,
  echo: (words) => words.every(({ glob, value }) => !glob || value.startsWith('/')),
};

/** Commands that show files by name, or the content of those that hold no secrets, or what came through a pipe. */
export const READ_ONLY_FILES: Record<string, CommandRule | CommandRule[]> = {
  ls: {
    flags:
      'aAlhtrRSd1FiLnosXZ --all --almost-all --human-readable --full-time --group-directories-first --recursive',
    values: { '--color': NAME, '--sort': NAME, '--time-style': TEXT },
    operands: each(PATH),
  },
  stat: { flags: 'fLt', values: { '-c': TEXT, '--format': TEXT }, operands: some(PATH) },
  du: {
    flags: 'ashkmcxbSl0 --summarize --human-readable --all --one-file-system --total --apparent-size',
    values: { '-d': NUMBER, '--max-depth': NUMBER, '-t': NUMBER, '--threshold': NUMBER, '--exclude': TEXT },
    operands: each(PATH),
  },
  df: {
    flags: 'ahHiklPTm --all --human-readable --inodes --local --print-type --total',
    values: {
      '-x': NAME,
      '--exclude-type': NAME,
      '-t': NAME,
      '--type': NAME,
      '-B': NUMBER,
      '--output': TEXT,
    },
    operands: each(PATH),
  },
  pwd: { flags: 'LP' },
  cd: { operands: each(PATH, 1) },
  readlink: { flags: 'fe', operands: some(PATH) },
  realpath: { operands: some(PATH) },
  basename: { operands: some(TEXT, 2) },
  dirname: { operands: some(TEXT) },
  namei: { flags: 'lom', operands: some(PATH) },
  which: { flags: 'a', operands: some(NAME) },
  whereis: { flags: 'bms', operands: some(NAME) },
  type: { flags: 'apt', operands: some(NAME) },
  true: {},
  false: {},
  sleep: { operands: exactly(({ value }) => /^([0-9]|[12][0-9]|30)(\.\d+)?s?$/.test(value)) },
  cat: { flags: 'AbeEnsTv --number', operands: each(READABLE) },
  tac: { operands: each(READABLE) },
  nl: { flags: '', operands: each(READABLE) },
  head: {
    digits: true,
    flags: 'qv',
    values: { '-n': NUMBER, '--lines': NUMBER, '-c': NUMBER },
    operands: each(READABLE),
  },
  tail: {
    digits: true,
    flags: 'qv',
    values: { '-n': NUMBER, '--lines': NUMBER, '-c': NUMBER },
    operands: each(READABLE),
  },
  wc: { flags: 'lwcmL --lines --words --bytes', operands: each(READABLE) },
  sort: {
    flags: 'bdfghnMrRsuVz --numeric-sort --reverse --unique --human-numeric-sort',
    values: { '-k': TEXT, '--key': TEXT, '-t': TEXT },
    operands: each(READABLE),
  },
  // A second file would be written, so none.
  uniq: {
    flags: 'cdiuDz --count --repeated',
    values: { '-f': NUMBER, '-s': NUMBER, '-w': NUMBER },
    operands: none,
  },
  cut: {
    flags: 'sz --complement',
    values: { '-d': TEXT, '-f': LIST, '-c': LIST, '-b': LIST },
    operands: each(READABLE),
  },
  tr: { flags: 'dsc', operands: some(TEXT, 2) },
  column: { flags: 'tx', values: { '-s': TEXT }, operands: each(READABLE) },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  sed: {
    flags: 'nE --quiet',
    operands: ([program, ...files], options) =>
      options.has('-n') && program !== undefined && SED_LINES(program) && files.every(READABLE),
  },
  awk: {
    values: { '-F': ({ value }) => /^[ :=/,;|\t-]{1,2}$/.test(value) },
    operands: ([program, ...files]) => program !== undefined && AWK_COLUMNS(program) && files.every(READABLE),
  },
};
