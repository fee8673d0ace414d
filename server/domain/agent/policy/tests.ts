import type { CommandRule, Test } from './arguments.ts';
import { isReadable } from './paths.ts';
import type { Word } from './words.ts';

/** What words of the tables must look like. */

const matching =
  (pattern: RegExp): Test =>
  ({ value, glob }) =>
    !glob && pattern.test(value);

/** Any text that only the command itself reads: a pattern to look for, a time. */
export const TEXT: Test = ({ glob }) => !glob;
export const NUMBER = matching(/^[+-]?\d+[kKMGT]?$/);
export const NAME = matching(/^[A-Za-z0-9_][A-Za-z0-9_.@:+-]*$/);
/** A unit, or several by a quoted pattern: for commands that only look. */
export const UNIT = matching(/^[A-Za-z0-9_][A-Za-z0-9_.@:\\*?-]*$/);
export const PACKAGE = matching(/^[a-z0-9*][A-Za-z0-9.+:*-]*$/);
/** Names of files, whose content stays closed. */
export const PATH: Test = ({ value }) => value !== '';
export const LOCAL_PATH = matching(/^\/[A-Za-z0-9_./-]*$/);
/** A file whose content may be shown. "-" is what comes through the pipe. */
export const READABLE: Test = (word) => word.value === '-' || isReadable(word);
/** An address in figures: a name would be looked up, and look-ups carry words out. */
export const IP_ADDRESS = matching(/^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:]+)$/);

/**
 * Units that a routine restart may touch: services by plain name. Those of the system itself power the machine
 * off, open a root shell or cut the way in.
 */
const SERVICE = /^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$/;
const NOT_ROUTINE =
  /^(?:systemd-|plymouth|network(?:ing|manager)?(?:\.service)?$|(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|exit|emergency|rescue|debug-shell|initrd.*|dbus.*|user@.*|container-getty@.*|getty@.*|console-shell)(?:\.service)?$)/i;
export const ROUTINE_SERVICE: Test = ({ value, glob }) =>
  !glob &&
  SERVICE.test(value) &&
  !NOT_ROUTINE.test(value) &&
  // "poweroff.target", "home.mount"; a name such as "php8.2-fpm" has a dot of its own.
  !/\.(?!service$)(?:target|mount|automount|swap|socket|device|timer|path|slice|scope|snapshot)$/.test(value);

export const oneOf = (...values: string[]): Test => {
  const set = new Set(values);
  return ({ value, glob }) => !glob && set.has(value);
};

type Operands = NonNullable<CommandRule['operands']>;

export const none: Operands = (words) => words.length === 0;
export const each =
  (test: Test, atMost = 50): Operands =>
  (words) =>
    words.length <= atMost && words.every(test);
export const some =
  (test: Test, atMost = 50): Operands =>
  (words) =>
    words.length > 0 && words.length <= atMost && words.every(test);
/** Exactly these, one after the other. */
export const exactly =
  (...tests: Test[]): Operands =>
  (words) =>
    words.length === tests.length && tests.every((test, index) => test(words[index]!));
/** `systemctl status nginx`: what may follow depends on the first word. */
export const verbs =
  (table: Record<string, Operands>): Operands =>
  ([verb, ...rest]: readonly Word[], options) =>
    verb !== undefined && !verb.glob && Object.hasOwn(table, verb.value) && table[verb.value]!(rest, options);
export const either =
  (...choices: Operands[]): Operands =>
  (words, options) =>
    choices.some((choice) => choice(words, options));
