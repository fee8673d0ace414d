import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mistakesByFile } from './prose/mistakes.ts';
import { PATTERNS } from './prose/patterns.ts';
import { piecesOfCode, piecesOfDocument } from './prose/split.ts';

test('comments, documents and texts are written in plain English', () => {
  assert.deepEqual([...mistakesByFile().values()].flat(), [], 'docs/style.md says how to write');
});

test('each pattern finds its mistake, and leaves correct sentences alone', () => {
  const found = (text: string) => PATTERNS.findIndex(({ pattern }) => pattern.test(text));
  const mistakes = [
    'What the driver is made of.',
    'the amount follows from what is unpaid',
    'null where it does not renew',
    'it is not renewed any more',
    'everything is renewed by itself',
    'the attack goes on',
    'it runs beside other tests',
    'the guest is made anew',
    'for a day at the most',
    'whoever reads it',
  ];
  assert.deepEqual(mistakes.map(found), [...PATTERNS.keys()]);
  const correct = [
    'What does it cost?',
    'It says what it did.',
    'A host is null if the cluster is down.',
    'It costs no more than any more expensive plan.',
    'It is renewed automatically and continues to run.',
    'Besides, it runs alongside others, at most a day.',
    'It tells the owner what goes wrong.',
  ];
  assert.deepEqual(
    correct.map(found),
    correct.map(() => -1),
  );
});

test('code is split into comments and texts, with the lines on which they begin', () => {
  const code = [
    'const a = b / 2; // one',
    '// two',
    '  // three',
    "const quote = /['\"`//]/.test('it\\'s \"so\"'); /* four */",
    '/**',
    ' * Five of `code`.',
    ' */',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of code, not a template.
    'const text = `${a ? `inner ${"deep"} // text` : {}} end`;',
    "const el = <p>Don't</p>;",
    "call('last');",
  ];
  assert.deepEqual(
    piecesOfCode(code.join('\n')).map(({ kind, line, text }) => `${line} ${kind} ${text}`),
    [
      '1 comment one',
      '2 comment two three',
      '4 text it\'s "so"',
      '4 comment four',
      '5 comment Five of `…`.',
      '8 text deep',
      '8 text inner X // text',
      '8 text X end',
      '9 text t</p>;',
      '10 text last',
    ],
  );
  const document = '# What?\n\n| What | a |\n| it | b |\n\none\ntwo `beside`\n\n```\nbeside\n```\n- item';
  assert.deepEqual(
    piecesOfDocument(document).map(({ line, text }) => `${line} ${text}`),
    ['1 # What?', '3 | What | a |', '4 | it | b |', '6 one two', '12 - item'],
  );
});
