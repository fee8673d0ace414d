import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transcript } from './support/event-reader.ts';
import { type Fixture, openFixture } from './support/stage.ts';
import { settled } from './support/wait.ts';

/** Common questions in customers' words, and what the answer must be about. */
const ASKS: [string, RegExp][] = [
  ['Why is my disk full?', /fullest file system is \/: \d+ % of/],
  ['How much memory is left?', /\d+ MiB of \d+ MiB are available/],
  ['The machine is slow, what about the load?', /The load is [\d.]+ \(one minute\)/],
  ['Which ports listen?', /listening:\n {2}(tcp|udp) /],
  ['What is the state of ssh?', /^ssh is active/m],
  ['Show me the logs of the ssh service', /Its last log lines:\n {2}\S/],
  ['Please restart cron', /cron was restarted and is active/],
  ['Has any service failed?', /(No services have failed|Failed services)/],
  ['Who is logged in?', /(No one is logged in|Logged in now)/],
  ['Are updates pending?', /(\d+ updates? (is|are) pending|No updates are pending)/],
  ['Check the health of this machine', /Uptime and load: .*load average/],
  ['Write me a poem', /fixed recipes, no language model/],
];

/** Advances the guest's clock until `work` is done, because the guest's programs take time. */
async function inTime<T>({ services }: Fixture, work: Promise<T>): Promise<T> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  while (!over) {
    await Promise.race([done, settled()]);
    services.clock.advance(500);
  }
  return done;
}

test('the runbook answers common questions from the state of the simulated guest', async (t) => {
  const fixture = await openFixture(t, {});
  const answers: string[] = [];
  for (const [message, expected] of ASKS) {
    const events = await inTime(fixture, fixture.run({ message }));
    const said = events.filter(({ type }) => type === 'message.completed').map(({ text }) => text);
    const commands = events.filter(({ type }) => type === 'command.proposed');
    answers.push(
      `# ${message}\n${transcript(events.filter(({ type }) => !type.startsWith('message.')))}${said.at(-1)}\n`,
    );
    assert.equal(events.at(-1)!.stop_reason, 'completed', `${message}: ${JSON.stringify(events)}`);
    assert.match(said.at(-1), expected, `${message}\n${answers.at(-1)}`);
    assert.ok(
      commands.every(({ risk }) => risk !== 'dangerous'),
      `${message} asks for nothing dangerous`,
    );
    assert.deepEqual(events[0]!.model, { provider: 'runbook', name: 'Built-in runbook (offline)' });
  }
  if (process.env.SHOW_ANSWERS) console.log(answers.join('\n'));
});

test('a command that the customer wrote is judged like any other', async (t) => {
  const fixture = await openFixture(t, {});
  const safe = await fixture.run({ message: 'Run `uptime`' });
  assert.equal(safe.at(-1)!.stop_reason, 'completed');
  const asked = await fixture.run({ message: 'Run `touch /tmp/made`' });
  assert.equal(asked.at(-1)!.stop_reason, 'awaiting_approval');
  const done = await fixture.run({ approval: { id: asked.at(-2)!.approval_id, decision: 'approve' } });
  assert.equal(done.find(({ type }) => type === 'command.completed')!.exit_code, 0);
  const seen = await fixture.run({ message: 'Run `ls /tmp`' });
  assert.match(seen.find(({ type }) => type === 'command.output')!.text, /made/);
});
