import { allows, type Grammar } from './arguments.ts';
import { FILES } from './files.ts';
import { NETWORK } from './network.ts';
import { dangerous, gravest, type Judgement } from './risk.ts';
import { ROUTINE } from './routine.ts';
import { NotUnderstood, readScript, type SimpleCommand } from './script.ts';
import { SERVICES } from './services.ts';
import { SYSTEM } from './system.ts';
import { NAME } from './tests.ts';
import type { Word } from './words.ts';

export type { Judgement, Risk } from './risk.ts';

/** A person cannot review more than this. Also bounds the work of judging. */
export const MAX_COMMAND_LENGTH = 4_096;
/** `sudo sh -c "timeout 5 sh -c …"`: more is never needed. */
const MAX_DEPTH = 4;

/** Read-only commands, by program: they write nothing, contact no other machine and show no secret. */
export const READ_ONLY: Grammar = { ...FILES, ...SYSTEM, ...NETWORK, ...SERVICES };

const SAFE: Judgement = { risk: 'safe', why: 'it only reads' };
const ROUTINE_CARE: Judgement = { risk: 'caution', why: 'it is routine maintenance and easily undone' };

/**
 * Judges the risk of a shell command, whatever is claimed about it. A command is only less than dangerous if its
 * program and arguments are in the tables, in a form that every shell reads the same way.
 */
export function judgeCommand(command: string): Judgement {
  return judgeScript(command, 0);
}

function judgeScript(source: string, depth: number): Judgement {
  if (source.length > MAX_COMMAND_LENGTH) return dangerous('it is too long to be checked');
  if (depth > MAX_DEPTH) return dangerous('it is nested too deeply');
  try {
    return gravest(readScript(source).map((command) => judgeSimple(command, depth)));
  } catch (error) {
    if (error instanceof NotUnderstood) return dangerous(error.message);
    // The parser itself failed: an unparseable command is dangerous.
    return dangerous('it cannot be parsed');
  }
}

/** Variables that change how output looks, never what is run, with values that cannot name a file. */
const LOCALE = /^(?:C|POSIX|[a-z]{2,3}(?:_[A-Z]{2})?)(?:\.(?:UTF-8|utf8))?$/;
const HARMLESS_VARIABLES: Record<string, RegExp> = {
  LC_ALL: LOCALE,
  LANG: LOCALE,
  LANGUAGE: LOCALE,
  TZ: /^(?:UTC|GMT|[A-Z][a-z]+\/[A-Z][A-Za-z_]+)$/,
  COLUMNS: /^\d{1,4}$/,
  LINES: /^\d{1,4}$/,
  DEBIAN_FRONTEND: /^noninteractive$/,
};

const isHarmlessVariable = ({ name, value }: { name: string; value: string }) =>
  Object.hasOwn(HARMLESS_VARIABLES, name) && HARMLESS_VARIABLES[name]!.test(value);

function judgeSimple({ assignments, words }: SimpleCommand, depth: number): Judgement {
  if (!assignments.every(isHarmlessVariable)) return dangerous('it sets variables for a program');
  return judgeWords(words, depth);
}

/** Directories of the system's programs; a program elsewhere may be anything. */
const SYSTEM_DIRECTORY = /^(?:\/usr)?\/s?bin\//;

/** Commands that only the shell itself provides; a program of that name is something else. */
const BUILT_IN = new Set(['cd', 'command', 'eval', 'type']);

function judgeWords([first, ...rest]: readonly Word[], depth: number): Judgement {
  if (!first || first.glob) return dangerous('what it runs depends on files');
  const name = first.value.replace(SYSTEM_DIRECTORY, '');
  if (name !== first.value && BUILT_IN.has(name)) return unknown(name);
  if (Object.hasOwn(WRAPPERS, name)) {
    if (depth >= MAX_DEPTH) return dangerous('it is nested too deeply');
    return WRAPPERS[name]!(rest, depth + 1) ?? unknown(name);
  }
  if (isIn(READ_ONLY, name, rest)) return SAFE;
  if (isIn(ROUTINE, name, rest)) return ROUTINE_CARE;
  return unknown(name);
}

function isIn(grammar: Grammar, name: string, words: readonly Word[]): boolean {
  if (!Object.hasOwn(grammar, name)) return false;
  return [grammar[name]!].flat().some((rule) => allows(rule, words));
}

function unknown(name: string): Judgement {
  const shown = /^[\w./-]{1,40}$/.test(name) ? name : 'it';
  return dangerous(`${shown} with these arguments is not known to be harmless`);
}

/** Commands that run another command, which decides the risk. Undefined if it is unclear what they run. */
const WRAPPERS: Record<string, (words: readonly Word[], depth: number) => Judgement | undefined> = {
  sudo: (words, depth) => judgeAfter(words, /^(?:-n|--non-interactive)$/, depth),
  env: (words, depth) => {
    const start = words.findIndex(({ value }) => !/^\w+=/.test(value));
    const assignments = words.slice(0, Math.max(start, 0)).map(({ value }) => {
      const [name = '', ...parts] = value.split('=');
      return { name, value: parts.join('=') };
    });
    return start < 0 ? undefined : judgeSimple({ assignments, words: words.slice(start) }, depth);
  },
  nice: ([option, value, ...rest], depth) =>
    option?.value === '-n' && /^1?\d$/.test(value?.value ?? '') ? judgeWords(rest, depth) : undefined,
  ionice: ([option, value, ...rest], depth) =>
    option?.value === '-c' && /^[23]$/.test(value?.value ?? '') ? judgeWords(rest, depth) : undefined,
  timeout: ([duration, ...rest], depth) =>
    /^\d{1,4}(\.\d+)?[sm]?$/.test(duration?.value ?? '') ? judgeWords(rest, depth) : undefined,
  command: ([first, ...rest], depth) =>
    first?.value === '-v' && rest.length === 1 && NAME(rest[0]!)
      ? SAFE
      : first && judgeWords([first, ...rest], depth),
  // A wildcard's expansion would be parsed as shell again, and a file can have any name.
  eval: (words, depth) =>
    words.some(({ glob }) => glob)
      ? undefined
      : judgeScript(words.map(({ value }) => value).join(' '), depth),
  sh: judgeShell,
  bash: judgeShell,
  dash: judgeShell,
};

function judgeAfter(words: readonly Word[], option: RegExp, depth: number): Judgement | undefined {
  const start = words.findIndex(({ value }) => !option.test(value));
  const rest = start < 0 ? [] : words.slice(start);
  return rest.length === 0 || rest[0]!.value.startsWith('-') ? undefined : judgeWords(rest, depth);
}

/** `sh -c 'script'` without further words, which would be the script's own arguments. */
function judgeShell(words: readonly Word[], depth: number): Judgement | undefined {
  const [option, script] = words;
  if (words.length !== 2 || option!.value !== '-c' || script!.glob) return undefined;
  return judgeScript(script!.value, depth);
}
