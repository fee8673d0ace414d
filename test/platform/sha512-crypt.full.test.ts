import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { sha512Crypt } from '../../server/platform/sha512-crypt.ts';

/** From the specification of SHA-crypt by Ulrich Drepper. */
const VECTORS: [salt: string, rounds: number | undefined, password: string, expected: string][] = [
  [
    'saltstring',
    undefined,
    'Hello world!',
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  ],
  [
    'saltstringsaltstring',
    10_000,
    'Hello world!',
    '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
  ],
  [
    'toolongsaltstring',
    5000,
    'This is just a test',
    '$6$rounds=5000$toolongsaltstrin$lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0',
  ],
  [
    'anotherlongsaltstring',
    1400,
    'a very much longer text to encrypt.  This one even stretches over morethan one line.',
    '$6$rounds=1400$anotherlongsalts$POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1',
  ],
  [
    'short',
    77_777,
    'we have a short salt string but not a short password',
    '$6$rounds=77777$short$WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0',
  ],
  [
    'asaltof16chars..',
    123_456,
    'a short string',
    '$6$rounds=123456$asaltof16chars..$BtCwjqMJGx5hrJhZywWvt0RLE8uZ4oPwcelCjmw2kSYu.Ec6ycULevoBK25fs2xXgMNrCzIMVcgEJAstJeonj1',
  ],
];

for (const [salt, rounds, password, expected] of VECTORS) {
  test(`"${password}" and ${salt} match the specification`, async () => {
    assert.equal(await sha512Crypt(password, { salt, rounds }), expected);
  });
}

const skip = spawnSync('openssl', ['passwd', '-6', 'x']).status === 0 ? false : 'there is no openssl';

test('passwords of every length hash as with openssl', { skip }, async () => {
  for (const password of [
    'x',
    `a"b,c: d'$x #e`,
    'pässwörd',
    'sixty-four, '.repeat(6).slice(0, 64),
    'l'.repeat(200),
  ]) {
    const hashed = await sha512Crypt(password);
    const salt = hashed.split('$')[2]!;
    const options = { input: `${password}\n`, encoding: 'utf8' } as const;
    assert.equal(hashed, execFileSync('openssl', ['passwd', '-6', '-salt', salt, '-stdin'], options).trim());
  }
});

test('each hash has its own salt', async () => {
  assert.notEqual(await sha512Crypt('the same'), await sha512Crypt('the same'));
});
