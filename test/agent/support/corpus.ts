import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { CommandRule, Rule } from '../../../server/domain/agent/policy/arguments.ts';
import { judgeCommand, READ_ONLY, type Risk } from '../../../server/domain/agent/policy/judge.ts';

/** Command lines to test the policy with: some written by people, others generated. */

const linesOf = (file: string) =>
  readFileSync(join(import.meta.dirname, '..', file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));

/** Text in quotation marks is a JSON string, unless the quotes belong to the command. */
const unquote = (text: string) => (/^"(?:[^"\\]|\\.)*"$/.test(text) ? (JSON.parse(text) as string) : text);

/** The reviewed table: commands with the risk that the policy must assign. */
export const REVIEWED = linesOf('policy-table.txt').map((line) => {
  const [, risk, text] = /^(safe|caution|dangerous)\s+(.*)$/.exec(line)!;
  return { risk: risk as Risk, command: unquote(text!) };
});

/** Commands that must never run without approval. */
export const ATTACKS = linesOf('policy-attacks.txt').map(unquote);

/** Words of command lines: some that the grammar knows, and some that must not fool it. */
const WORDS = [
  ...'/ . /etc /etc/ /var/log /var/log/ /tmp /root/.ssh /home /proc /proc/1 /proc/self /proc/1/exe /proc/sys/vm /dev /run'.split(
    ' ',
  ),
  ...'/etc/passwd /etc/hosts /etc/os-release //etc//hostname /etc/./hosts /proc/meminfo /proc/net/tcp /proc/sys/vm/swappiness'.split(
    ' ',
  ),
  ...'/var/log/syslog /var/log/syslog* /var/log/nginx/error.log /var/log/nginx/*.log /var/log/nginx/* /var/log/nginx /var/log/apt/hist* /var/log/nginx/err?r.log'.split(
    ' ',
  ),
  ...'/etc/shadow /etc/shado? /etc/* /etc/ssh/ssh_host_ed25519_key /root/.ssh/id_ed25519 /root/.bash_history /var/www/app/.env /var/log/btmp /var/log/b* /var/log/cloud-init-output.log /var/log/installer/questions.dat'.split(
    ' ',
  ),
  ...'/var/log/apt/.?/.?/.?/etc/shadow /var/log/.?/ /var/log/* /var/log/*/* /var/log/nginx/.* /var/log/nginx/../../../etc/shadow'.split(
    ' ',
  ),
  ...'/proc/1/environ /proc/self/environ /proc/self/root/etc/shadow /proc/1/fd/0 /proc/self/fd /proc/1/root /dev/sda /dev/stdin /net/evil.example /afs/evil.example'.split(
    ' ',
  ),
  ...'/tmp/x ../x x .. ~ * ? - -- + - -x -n -o -f -i -w -r -e -d -c -u -s -A -F --output=/tmp/x --files0-from=/etc/shadow -o/tmp/x -f/etc/shadow --follow --help --version'.split(
    ' ',
  ),
  ...'1 0 3 5 10 -1 +2 1k 1,3 1-3 -5 -20 root nginx www-data evil.example 192.0.2.1 2001:db8::1 :22 :80 tcp TCP:22 lo eth0 main all ext4 tmpfs proc'.split(
    ' ',
  ),
  ...'error root . ^root [a-z] a*b x{3} short cat json err warning..err pid,comm pid,args args e aux auxe axo user,pid,rss -rss %cpu +rss name size %n %s:%U +%F +%s @0 today yesterday'.split(
    ' ',
  ),
  ...'status show list list-units list-timers is-active is-enabled is-failed start restart stop passwd group services hosts shadow showhold time blame ruleset tables am i'.split(
    ' ',
  ),
  ...'MainPID ActiveState Environment service --type=service --no-pager state established sport dport = dst src or and not ( ) addr route link neigh rule a r dev table'.split(
    ' ',
  ),
  ...'-f -d -z = -eq != -nt f d +1M *.log 644 -name -type -size -maxdepth -mtime -printf -print -ls -exec -delete -fprint -newer -user -perm %p ! -o -a 1p 1,5p $p /root/p 1e {print} {print} NR>1 $1 : , vm.swappiness kernel.hostname fs.file-max net.ipv4.ip_forward vm/swappiness net'.split(
    ' ',
  ),
  '{print $1}',
  '{print $1, $NF}',
  'NR>1 {print $2}',
  'BEGIN{system("id")}',
  '( sport = :22 or dport = :443 )',
  'dst evil.example',
  '1 hour ago',
  'TZ="/etc/shadow" now',
  'a; touch /tmp/x',
  '',
];
const word = fc.constantFrom(...WORDS);
const quote = (text: string) =>
  text === '' || /[^\w./*?:=@%+,-]/.test(text) ? `'${text.replaceAll("'", '')}'` : text;

/** Generates words that pass a test, if any of ours do. */
const fitting = (test: (word: { value: string; glob: boolean }) => boolean) => {
  const words = WORDS.filter((value) => test({ value, glob: false }));
  return words.length > 0 ? fc.constantFrom(...words) : word;
};

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];

/** Generates options that the rule allows, and some that it does not. */
function optionOf({ flags = '', values = {}, optional = {} }: CommandRule): fc.Arbitrary<string[]> {
  const letters = flags.split(' ').flatMap((part) => (part.startsWith('--') ? [] : [...part]));
  const long = flags.split(' ').filter((part) => part.startsWith('--'));
  const own: fc.Arbitrary<string[]>[] = [];
  if (letters.length > 0)
    own.push(
      fc
        .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 3 })
        .map((some) => [`-${some.join('')}`]),
    );
  if (long.length > 0) own.push(fc.constantFrom(...long).map((name) => [name]));
  for (const [name, test] of Object.entries(values)) {
    const join = (value: string) => (name.startsWith('--') ? [`${name}=${value}`] : [`${name}${value}`]);
    own.push(fitting(test).map((value) => [name, value]));
    own.push(fitting(test).map(join));
  }
  for (const [name, test] of Object.entries(optional)) {
    own.push(fc.constant([name]));
    own.push(fitting(test).map((value) => [name.startsWith('--') ? `${name}=${value}` : `${name}${value}`]));
  }
  const foreign = fc
    .tuple(fc.constantFrom(...LETTERS), fc.option(word))
    .map(([letter, value]) => (value === null ? [`-${letter}`] : [`-${letter}`, value]));
  return own.length === 0
    ? foreign
    : fc.oneof({ arbitrary: fc.oneof(...own), weight: 12 }, { arbitrary: foreign, weight: 1 });
}

function argumentsOf(rule: Rule): fc.Arbitrary<string[]> {
  const operands = fc.array(word, { maxLength: 4 });
  if (typeof rule === 'function') return operands;
  const needed = fc.constant((rule.needs ?? []).map((group) => group.split('|')[0]!));
  const options = fc.array(optionOf(rule), { maxLength: 3 });
  const fits = (value: string) => rule.operands?.([{ value, glob: /[*?]/.test(value) }], new Map()) ?? false;
  const fit = WORDS.filter(fits);
  const own =
    fit.length > 0 ? fc.array(fc.constantFrom(...fit), { maxLength: 2 }) : fc.constant<string[]>([]);
  const either = fc.oneof({ arbitrary: own, weight: 4 }, { arbitrary: operands, weight: 1 });
  return fc
    .tuple(needed, options, either, fc.boolean())
    .map(([must, some, rest, last]) =>
      last ? [...rest, ...must, ...some.flat()] : [...must, ...some.flat(), ...rest],
    );
}

const simple = fc
  .constantFrom(
    ...Object.entries(READ_ONLY).flatMap(([name, rules]) => [rules].flat().map((rule) => ({ name, rule }))),
  )
  .chain(({ name, rule }) => argumentsOf(rule as Rule).map((words) => [name, ...words].map(quote).join(' ')));

/** Ways to join commands and to nest one in another. */
const JOINED: ((a: string, b: string) => string)[] = [
  (a, b) => `${a} | ${b}`,
  (a, b) => `${a}; ${b}`,
  (a, b) => `${a} && ${b}`,
  (a, b) => `${a}\n${b}`,
  (a) => `${a} 2>/dev/null | head -n 3`,
  (a) => `${a} 2>&1`,
  (a) => `LC_ALL=C ${a}`,
  (a) => `env LC_ALL=C ${a}`,
  (a) => `timeout 5 ${a}`,
  (a) => `nice -n 5 ${a}`,
  (a) => `sh -c "${a.replaceAll('"', '')}"`,
  (a) => `/usr/bin/${a}`,
  (a) => `${a} >/tmp/x`,
  (a) => `${a} $(id)`,
];
/** Generates reviewed commands with a word added, removed or replaced. */
const changed = fc
  .tuple(
    fc.constantFrom(
      ...REVIEWED.filter(({ risk }) => risk === 'safe').map(({ command }) => command.split(' ')),
    ),
    fc.nat(12),
    fc.nat(1),
    fc.option(word.map(quote)),
  )
  .map(([words, at, removed, put]) =>
    words.toSpliced(1 + (at % words.length), removed, ...(put === null ? [] : [put])).join(' '),
  );

/** Commands that take too long for the little that they show. */
const LONG = /\bsleep [1-9]|\b(?:vm|io|mp|pid)stat.* [2-9]|-s ?\d/;
const line = fc
  .oneof(
    { arbitrary: simple, weight: 4 },
    { arbitrary: changed, weight: 2 },
    {
      arbitrary: fc.tuple(fc.constantFrom(...JOINED), simple, simple).map(([join, a, b]) => join(a, b)),
      weight: 1,
    },
  )
  .filter((command) => !LONG.test(command));

/** Generates command lines from the grammar and around it; the same ones for the same seed. */
export function generated(count: number, seed: number): string[] {
  const lines = new Set<string>();
  for (let round = 0; lines.size < count; round++)
    for (const command of fc.sample(line, { numRuns: count, seed: seed + round }))
      if (lines.size < count) lines.add(command);
  return [...lines];
}

export const isSafe = (command: string) => judgeCommand(command).risk === 'safe';
