import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS } from '../../server/compute/simulator/guest-os/shell/commands/all.ts';
import { read, sources } from '../support/source.ts';

const PLACES = [
  'server/compute',
  'test/compute/simulator-inside',
  'test/agent',
  'test/consoles',
  'test/acceptance',
  'test/guest-ssh',
];
/** Among the engines, only the contract runs commands; elsewhere the same words may mean something else. */
const NO_GUEST = /^server\/compute\/(?!contract)/;
/** In the agent's tests, commands that are judged and never run. */
const ONLY_JUDGED = /policy|corpus/;

/** Commands older than this law. A name is removed with its first test, and none may be added. */
const FROM_BEFORE =
  'arch chown clear dmesg egrep groups htop killall logout lsblk netstat nproc pkill pwd rmdir stat sync users';

const text = PLACES.flatMap((place) => sources(place))
  .filter((path) => !ONLY_JUDGED.test(path) && !NO_GUEST.test(path))
  .map(read)
  .join('\n');

/**
 * Returns whether a test contains the command where a shell would expect one: at the start of a text, or after an
 * operator.
 */
function isRun(name: string): boolean {
  const escaped = name.replace(/[[.]/g, '\\$&');
  return new RegExp(`(?:['"\`;|&(!\\n]\\s*|sudo |xargs )${escaped}(?=[\\s'"\`;|&)\\\\])`).test(text);
}

test('every command of the simulated shell is needed by a test', () => {
  const unused = [...COMMANDS.keys()].filter((name) => !isRun(name));
  assert.deepEqual(unused.sort(), FROM_BEFORE.split(' '));
});
