import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeCommand, MAX_COMMAND_LENGTH } from '../../server/domain/agent/policy/judge.ts';
import { ATTACKS, REVIEWED } from './support/corpus.ts';

test('each command of the reviewed table has its reviewed risk', () => {
  const wrong = REVIEWED.map(({ risk, command }) => ({
    command,
    expected: risk,
    actual: judgeCommand(command).risk,
  }))
    .filter(({ expected, actual }) => expected !== actual)
    .map(({ command, expected, actual }) => `${JSON.stringify(command)}: ${actual}, not ${expected}`);
  assert.deepEqual(wrong, []);
});

test('no attack runs without approval', () => {
  const unasked = ATTACKS.filter((command) => judgeCommand(command).risk !== 'dangerous');
  assert.deepEqual(unasked, []);
  assert.ok(ATTACKS.length >= 800, `${ATTACKS.length}`);
  assert.equal(new Set(ATTACKS).size, ATTACKS.length);
});

test('the table has at least 300 distinct commands', () => {
  const commands = REVIEWED.map(({ command }) => command);
  assert.ok(commands.length >= 300, `${commands.length}`);
  assert.equal(new Set(commands).size, commands.length);
});

test('a hostile command cannot slow down the verdict', () => {
  const hostile = [
    `${'|'.repeat(4_000)}x`,
    `${'('.repeat(4_000)}`,
    `ls ${'"a"'.repeat(1_300)}$`,
    `echo ${'$('.repeat(2_000)}`,
    `sh -c '${"sh -c '".repeat(500)}`,
    `ls ${'{a,'.repeat(1_300)}`,
    `${'sudo '.repeat(800)}ls`,
    `${'env A=b '.repeat(500)}ls`,
    'x'.repeat(MAX_COMMAND_LENGTH * 100),
  ];
  const began = performance.now();
  for (const command of hostile) assert.equal(judgeCommand(command).risk, 'dangerous', command.slice(0, 40));
  assert.ok(performance.now() - began < 5_000);
});
