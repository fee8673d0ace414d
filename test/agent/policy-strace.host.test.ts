import assert from 'node:assert/strict';
import { test } from 'node:test';
import { READ_ONLY } from '../../server/domain/agent/policy/judge.ts';
import { ATTACKS, generated, isSafe, REVIEWED } from './support/corpus.ts';
import { KITS, skipWithoutSandbox, watch } from './support/sandbox.ts';

/**
 * Runs commands that the policy considers safe, in real shells, with GNU programs and with BusyBox, under `strace` in a
 * separate root file system. None may write, connect to another machine, start another program, or read a secret.
 */

const SEED = Number(process.env.VAUBAN_POLICY_SEED ?? 9);
/** To try other or more lines: VAUBAN_POLICY_SEED=2 VAUBAN_POLICY_LINES=20000. */
const LINES = Number(process.env.VAUBAN_POLICY_LINES ?? 2_000);
const WRITTEN = [...REVIEWED.map(({ command }) => command), ...ATTACKS];
const MADE_UP = generated(LINES, SEED);

const skip = skipWithoutSandbox();

test('the corpus covers every known program', () => {
  assert.ok(WRITTEN.length + MADE_UP.length >= 2_000);
  const safe = [...WRITTEN, ...MADE_UP].filter(isSafe);
  const missing = Object.keys(READ_ONLY).filter(
    (name) => !safe.some((line) => line.split(' ', 1)[0] === name),
  );
  assert.deepEqual(missing, []);
});

/** Commands that do each of the forbidden things, to notice a watch that sees nothing. */
const CAUGHT: [keyof typeof KITS, string, RegExp][] = [
  ['dash', 'cat /etc/shadow', /shows a secret|reads a secret/],
  ['dash', 'cat /var/log/apt/.?/.?/.?/etc/shadow', /reads a secret/],
  ['dash', 'cd /root/.ssh && wc id_ed25519', /reads a secret/],
  ['dash', 'date -d \'TZ="/etc/shadow" now\'', /reads a secret/],
  ['dash', 'ps auxe', /shows a secret/],
  ['dash', 'head -c 1 /proc/1/environ', /reads a secret/],
  ['dash', 'sort -o /tmp/x /etc/passwd', /opens for writing/],
  ['dash', 'touch /tmp/x', /opens for writing|changes something/],
  ['dash', 'mkdir /tmp/x', /changes something/],
  ['dash', 'chmod 600 /etc/hosts', /changes something/],
  ['dash', 'getent hosts evil.example', /another machine/],
  ['dash', 'hostname -f', /another machine/],
  ['dash', 'hostname evil', /changes something/],
  ['dash', 'perl -e 1', /starts perl/],
  ['bash', 'cat /etc/shadow', /a secret/],
  ['bash', 'echo x > /tmp/x', /opens for writing/],
  ['bash', 'echo x > /dev/udp/192.0.2.1/53', /another machine/],
  ['ash', 'sysctl -n /etc/shadow', /a secret/],
  ['ash', 'cat /var/log/apt/.?/.?/.?/etc/shadow', /a secret/],
  ['ash', 'ping -c 1 evil.example', /another machine|starts ping/],
  ['ash', 'wget http://192.0.2.1/', /another machine|starts wget/],
  ['ash', 'ip link set lo up', /changes|speaks/],
];

for (const [key, kit] of Object.entries(KITS) as [keyof typeof KITS, (typeof KITS)['dash']][]) {
  test(`the watch over ${kit.name} sees every violation`, { skip }, async (t) => {
    const lines = CAUGHT.filter(([of]) => of === key);
    assert.ok(lines.length > 0);
    const breaches = await watch(
      t,
      kit,
      lines.map(([, command]) => command),
    );
    for (const [, command, what] of lines) {
      const seen = breaches.filter((breach) => breach.command === command).map((breach) => breach.what);
      assert.ok(
        seen.some((text) => what.test(text)),
        `${command}: ${seen.join('\n')}`,
      );
    }
  });

  test(`safe commands do no harm with ${kit.name}`, { skip }, async (t) => {
    // Programs behave the same in every shell, so fewer lines are enough for the second one.
    const lines = [
      ...new Set([...WRITTEN, ...(key === 'bash' ? MADE_UP.slice(0, LINES / 5) : MADE_UP)]),
    ].filter(isSafe);
    const breaches = await watch(t, kit, lines);
    t.diagnostic(`${lines.length} commands`);
    assert.deepEqual(breaches, []);
  });
}
