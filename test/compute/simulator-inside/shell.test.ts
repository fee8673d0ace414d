// Runs on the embedded engine only: it is about the shell of a simulated guest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../support.ts';
import { exec, loggedIn, openSetting, openShell, runningGuest } from './support.ts';

/** A command line, its output (both streams), and its exit code. */
const LINES: [line: string, output: string | RegExp, code?: number][] = [
  ['echo one   two "three   four" \'$HOME\' "$HOME"', 'one two three   four $HOME /home/debian\n'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
  ['A=5; echo $A ${A}0 "$A" \\$A', '5 50 5 $A\n'],
  ['false; echo $?; true && echo yes || echo no; false && echo a || echo b', '1\nyes\nb\n'],
  ['! false; echo $?', '0\n'],
  ['no-such-thing', 'bash: no-such-thing: command not found\n', 127],
  ['constructor; __proto__; toString', /command not found\n.*command not found\n.*command not found/, 127],
  ['echo "', 'bash: unexpected end of line while looking for matching "\n', 2],
  ['echo a | | wc', "bash: syntax error near unexpected token '|'\n", 2],
  ['sleep 5 &', 'bash: background jobs are not simulated\n', 2],
  ['echo $(echo inner | tr a b) `whoami`', 'debian\nbash: tr: command not found\n'],
  ['printf "%s-%05d\\n" a 7 b 8', 'a-00007\nb-00008\n'],
  ['seq 10 | tail -3 | head -n 2; seq 3 | wc -l', '8\n9\n3\n'],
  ['printf "b\\na\\nb\\n" | sort | uniq -c', '      1 a\n      2 b\n'],
  ['echo hay; echo needle 2>&1 | grep -c needle; grep -q x /etc/hostname; echo $?', 'hay\n1\n1\n'],
  ['grep -nE "^(root|debian):" /etc/passwd | cut -d: -f1,2', '1:root\n4:debian\n'],
  [
    'cat /etc/passwd | awk \'{print $1}\' | sed -n 1p | sed "s/root/ROOT/"',
    'ROOT:x:0:0:root:/root:/bin/bash\n',
  ],
  [
    'cd /tmp; echo a > f; echo b >> f; cat < f; wc -c f; rm f; cat f',
    'a\nb\n4 f\ncat: f: No such file or directory\n',
    1,
  ],
  ['cat <<END > /tmp/here\nfirst $HOME\nsecond\nEND\ncat /tmp/here', 'first $HOME\nsecond\n'],
  [
    'ls /nowhere 2>/dev/null || echo gone; ls /nowhere > /tmp/o 2>&1; cat /tmp/o',
    'gone\nls: /nowhere: No such file or directory\n',
  ],
  [
    'mkdir -p /tmp/d/e; touch /tmp/d/x.log /tmp/d/y.log /tmp/d/z; ls /tmp/d/*.log; find /tmp/d -name "*.log" -delete; ls /tmp/d',
    '/tmp/d/x.log\n/tmp/d/y.log\ne\nz\n',
  ],
  [
    'cp -r /tmp/d /tmp/c; mv /tmp/c /tmp/moved; ls /tmp/moved; rm -r /tmp/moved /tmp/d; ls -d /tmp/d',
    /^e\nz\nls: \/tmp\/d: No such file/,
    1,
  ],
  ['echo x > /etc/hostname', 'bash: /etc/hostname: Permission denied\n', 1],
  ['cat /etc/shadow; ls /root', /cat: \/etc\/shadow: Permission denied\n.*Permission denied/, 1],
  [
    'sudo cat /etc/shadow | head -1; sudo whoami; sudo -u debian whoami',
    'root:*:20000:0:99999:7:::\nroot\ndebian\n',
  ],
  ['sudo rm /etc/motd; sudo rm -rf /etc/nginx && ls /etc/nginx', /cannot|No such file/, 1],
  ['sh -c "exit 7"; echo $?; bash -c \'echo $0 in; exit 3\'', /^7\n/, 3],
  ['env X=1 printenv X; export Y=2; env | grep ^Y; unset Y; printenv Y', '1\nY=2\n', 1],
  ['[ -d /etc ] && test -f /etc/hostname && [ 3 -gt 2 ] && [ a != b ] && echo all', 'all\n'],
  ['yes | head -2; yes no | true; echo done', 'y\ny\ndone\n'],
  [
    'which ls; command -v systemctl; id -u; hostname; uname -sn; date +%F',
    '/usr/bin/ls\n/usr/bin/systemctl\n1000\nweb\nLinux web\n2026-01-01\n',
  ],
  ['grep "(a*)*b" /etc/hostname; grep -E "(a+)+$" /etc/hosts', '', 1],
  ['echo 1 2 3 | xargs echo got; echo z | tee /tmp/t; cat /tmp/t', 'got 1 2 3\nz\nz\n'],
];

test('command lines print and end as in a shell', { timeout: 300_000 }, async (t) => {
  const setting = await openSetting(t);
  const client = await loggedIn(t, setting, await runningGuest(setting));
  for (const [line, expected, code = 0] of LINES) {
    const outcome = await exec(setting, client, line);
    const output = outcome.stdout + outcome.stderr;
    if (typeof expected === 'string') assert.equal(output, expected, line);
    else assert.match(output, expected, line);
    assert.equal(outcome.code, code, line);
  }
});

test('top fills the screen, follows its size, and q restores it', { timeout: 300_000 }, async (t) => {
  const setting = await openSetting(t);
  const screen = await openShell(await loggedIn(t, setting, await runningGuest(setting)), {
    cols: 60,
    rows: 12,
  });
  await screen.shows(/\$ $/);
  screen.type('top\r');
  const first = await screen.shows(/COMMAND[\s\S]*\[J/);
  assert.match(first, /\[\?1049h[\s\S]*load average[\s\S]*nginx/);
  assert.equal(first.slice(first.indexOf('[H')).split('\r\n').length, 12);
  await settle(setting.clock, screen.shows(/COMMAND[\s\S]*\[J/));
  screen.type('q');
  await screen.shows(/\[\?1049l[\s\S]*debian@web:~\$ $/);
});

test('apt takes the time of the clock, needs root, and remembers', { timeout: 300_000 }, async (t) => {
  const setting = await openSetting(t);
  const client = await loggedIn(t, setting, await runningGuest(setting));
  assert.equal((await exec(setting, client, 'apt-get install -y htop')).code, 100);
  const before = setting.clock.now().getTime();
  const { stdout, code } = await exec(setting, client, 'sudo apt-get update && sudo apt-get install -y htop');
  assert.equal(code, 0);
  assert.match(stdout, /Get:3 [\s\S]*5 packages can be upgraded[\s\S]*Setting up htop/);
  assert.ok(setting.clock.now().getTime() - before >= 4_000);
  await exec(setting, client, 'sudo apt upgrade -y');
  assert.equal((await exec(setting, client, 'apt list --upgradable')).stdout, 'Listing... Done\n');
  assert.match((await exec(setting, client, 'apt list --installed')).stdout, /^htop\//m);
});
