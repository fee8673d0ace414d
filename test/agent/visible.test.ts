import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { visible, visibleProse } from '../../server/agent/visible.ts';
import { judgeCommand } from '../../server/domain/agent/policy/judge.ts';
import { depth } from '../support/depth.ts';
import { startGuest } from './support/guest.ts';
import { startModel } from './support/model-server.ts';
import { openFixture } from './support/stage.ts';

/** Looks harmless to a reader who sees it unescaped. */
const DISGUISED = 'rm -rf /srv # \u202e\u2066tmp/ sl\u2069\u200b\u00ad\u001b[8m\u{e0061}\u00a0\u3164x';
const SHOWN =
  'rm -rf /srv # ⟦U+202E⟧⟦U+2066⟧tmp/ sl⟦U+2069⟧⟦U+200B⟧⟦U+00AD⟧⟦U+001B⟧[8m⟦U+E0061⟧⟦U+00A0⟧⟦U+3164⟧x';

test('hidden characters of a command are shown before approval, and the approved command runs unchanged', async (t) => {
  const guest = await startGuest(t, () => ({ stdout: 'done\n' }));
  const model = await startModel(t, [
    { text: 'Just a look\u202e.', command: DISGUISED, reason: 'to \u202esee' },
    { text: 'Done.' },
  ]);
  const fixture = await openFixture(t, { guest, model });
  const asked = await fixture.run({ message: 'Look' });
  const of = (type: string) => asked.find((event) => event.type === type)!;
  assert.deepEqual(
    [of('command.proposed').command, of('command.proposed').reason],
    [SHOWN, 'to ⟦U+202E⟧see'],
  );
  assert.equal(of('approval.required').command, SHOWN);
  assert.equal(of('message.completed').text, 'Just a look⟦U+202E⟧.');
  const { pending_approval: pending } = await fixture.status();
  assert.deepEqual([pending.command, pending.reason], [SHOWN, 'to ⟦U+202E⟧see']);
  await fixture.run({ approval: { id: pending.id, decision: 'approve' } });
  assert.deepEqual(guest.ran, [DISGUISED]);
  const { history } = await fixture.status();
  assert.equal(history.find(({ role }: { role: string }) => role === 'command').command, SHOWN);
  const { json } = await fixture.call('GET', `/v1/vm/${fixture.vm.id}/events?type=agent.command_started`);
  assert.equal(json.data[0].metadata.command, SHOWN);
});

test('different texts are shown differently, without invisible characters, and such a command is never safe', () => {
  const tricky = fc.string({
    unit: fc.constantFrom(
      ...'ls /tmp\n\t⟦⟧U+202E',
      '\u202e',
      '\u200b',
      '\u2800',
      '\u00a0',
      '\r',
      '\u007f',
      '\u061c',
      '\ufe0f',
    ),
    maxLength: 30,
  });
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.oneof(tricky, fc.string({ unit: 'grapheme', maxLength: 30 })), (text) => {
      const shown = visible(text);
      assert.equal(seen.get(shown) ?? text, text);
      seen.set(shown, text);
      assert.doesNotMatch(shown, /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u);
      if (shown !== text) assert.equal(judgeCommand(text).risk, 'dangerous');
    }),
    { numRuns: depth(500, 5_000) },
  );
});

test('prose keeps joined letters and pictures', () => {
  const prose = 'می\u200cخواهم 👩\u200d💻 ❤\ufe0f\n\tfine';
  assert.equal(visibleProse(prose), prose);
  assert.equal(visibleProse('\u001b[2J\u202eevil\r'), '⟦U+001B⟧[2J⟦U+202E⟧evil⟦U+000D⟧');
});
