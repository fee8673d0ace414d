import type { Operands, Test } from './arguments.ts';
import { isNameable, isReadable } from './paths.ts';

/** Tests for the words of a grammar: a plain word that matches `pattern`. */

export const matching =
  (pattern: RegExp): Test =>
  ({ value, glob }) =>
    !glob && pattern.test(value);

/** Any text that only the command itself reads: a format, or a name to search for. */
export const TEXT = matching(/^[^\n]{0,500}$/);
/**
 * A regular expression. Allows only short repetitions and none of a group: a few nested ones fill the machine's memory.
 */
export const PATTERN = matching(/^(?=[^\n]{1,300}$)(?!.*(?:[)}]\\?\{|\{[^}]*\d{3}))/);
export const NUMBER = matching(/^[+-]?\d{1,9}[kKMGT]?$/);
/** A number of repetitions, or an interval in seconds. */
export const COUNT = matching(/^[1-9]\d{0,2}$/);
export const NAME = matching(/^[A-Za-z0-9_][A-Za-z0-9_.@:+-]*$/);
export const NAMES = matching(/^[A-Za-z0-9_][A-Za-z0-9_.@:+,-]*$/);
/** Column names. */
export const FIELDS = matching(/^\+?[A-Za-z%][A-Za-z0-9_%,:=+-]*$/);
export const DIGITS = matching(/^\d{1,9}$/);
export const PIDS = matching(/^\d{1,9}(?:,\d{1,9})*$/);
/** "-1 hour ago", "2026-01-05 10:00". Some programs read time zones in quotes from files. */
export const TIME = matching(/^[@+-]?[A-Za-z0-9][A-Za-z0-9 :.,+-]*$/);
/** A unit, or a quoted pattern for several: for commands that only look. */
export const UNIT = matching(/^[A-Za-z0-9_][A-Za-z0-9_.@:\\*?-]*$/);
export const PACKAGE = matching(/^[a-z0-9*][A-Za-z0-9.+:*-]*$/);
/** A file whose name and attributes may be shown. */
export const NAMED: Test = isNameable;
/** A file whose content may be shown. "-" is standard input. */
export const READABLE: Test = (word) => word.value === '-' || isReadable(word);

export const oneOf = (...values: string[]): Test => {
  const set = new Set(values);
  return ({ value, glob }) => !glob && set.has(value);
};
/** "pid,comm": each item must be a member of the set. */
export const listOf =
  (members: ReadonlySet<string>, clean: (member: string) => string): Test =>
  ({ value, glob }) =>
    !glob && value.split(',').every((member) => members.has(clean(member)));

export const none: Operands = (words) => words.length === 0;
export const each =
  (test: Test, atMost = 50): Operands =>
  (words) =>
    words.length <= atMost && words.every(test);
export const some =
  (test: Test, atMost = 50): Operands =>
  (words) =>
    words.length > 0 && words.length <= atMost && words.every(test);
/** Exactly these words, in this order. */
export const exactly =
  (...tests: Test[]): Operands =>
  (words) =>
    words.length === tests.length && tests.every((test, index) => test(words[index]!));
/** `systemctl status nginx`: the first word decides what may follow. */
export const verbs =
  (table: Record<string, Operands>): Operands =>
  ([verb, ...rest], options) =>
    verb !== undefined && !verb.glob && Object.hasOwn(table, verb.value) && table[verb.value]!(rest, options);
export const either =
  (...choices: Operands[]): Operands =>
  (words, options) =>
    choices.some((choice) => choice(words, options));
