import { allows, type CommandRule, type Form, type Rule, type Test } from './arguments.ts';
import { each, exactly, listOf, matching, NAME, oneOf, PIDS } from './tests.ts';

const PROCESS_COLUMNS = new Set(
  '%cpu %mem args cmd comm cputime egid etime etimes euid fname gid group lstart maj_flt min_flt ni nlwp pcpu pgid pid pmem ppid pri psr rss s sid size stat start start_time state stime tid time tty tt ucmd uid unit user vsz wchan'.split(
    ' ',
  ),
);
/** "pid,comm,%mem", "args=": columns that do not show a program's environment. */
const COLUMNS = listOf(PROCESS_COLUMNS, (column) => column.split(/[:=]/, 1)[0]!.toLowerCase());
const SORT_KEYS = listOf(PROCESS_COLUMNS, (key) => key.replace(/^[+-]/, ''));

/**
 * `ps` reads options that it does not understand again as the letters of `ps aux`, in which an "e" shows environments.
 * So options with an "e" are only allowed as whole words, in combinations that `ps` understands.
 */
const ALL = oneOf(
  ...'-e -A -a -ef -Af -af -eF -efw -efww -eFww -el -eLf -ely -ax -aux -auxw -auxww'.split(' '),
);
const SHOWN: CommandRule = {
  flags: '--forest --no-headers --headers',
  values: { '--sort': SORT_KEYS },
};
const CHOSEN: CommandRule = {
  flags: '--no-headers',
  values: { '-o': COLUMNS, '--format': COLUMNS, '--sort': SORT_KEYS },
};
/** A user whose name cannot be read as letters of `ps aux`. */
const USER: Test = (word) => NAME(word) && !/^[acefghjlmrsuvwxA-Z]*e/.test(word.value);

/** A form with a fixed first word, followed by the arguments of `rule`. */
const headed =
  (head: Test, rule: CommandRule): Form =>
  ([first, ...rest]) =>
    first !== undefined && head(first) && allows(rule, rest);

export const PS: readonly Rule[] = [
  // `ps aux`
  { ...SHOWN, operands: each(matching(/^[auxwfjlvTr]+$/), 1) },
  headed(oneOf('ao', 'axo', 'xo', 'axwwo', '-eo', '-Ao', '-axo', '-ao'), {
    ...SHOWN,
    operands: exactly(COLUMNS),
  }),
  headed(ALL, SHOWN),
  headed(oneOf('-e', '-A', '-a'), CHOSEN),
  {
    ...CHOSEN,
    values: {
      ...CHOSEN.values,
      '-C': NAME,
      '-p': PIDS,
      '--pid': PIDS,
      '-u': USER,
      '-U': USER,
      '--ppid': PIDS,
    },
  },
  { flags: 'fFlw', values: { '-C': NAME, '-p': PIDS, '-u': USER, '-U': USER } },
];
