import type { Word } from './words.ts';

export type Test = (word: Word) => boolean;

/** The arguments of a command, split the way the command's own option parser splits them. */
export interface Arguments {
  /** Keyed by the name as written: "-n", "--lines"; true for an option without a value. */
  options: ReadonlyMap<string, string | true>;
  operands: readonly Word[];
}

export type Operands = (operands: readonly Word[], options: Arguments['options']) => boolean;

/** The arguments that a command may have. Anything not listed is refused. */
export interface CommandRule {
  /** Options without a value, separated by blanks: the letters of short ones, then long ones: "aef --forest". */
  flags?: string;
  /** Options with a value: "-n 5", "-n5", "--lines=5", "--lines 5". */
  values?: Record<string, Test>;
  /** Options whose value is optional and, if present, part of the same word: "--color=never", "-i:22". */
  optional?: Record<string, Test>;
  /** `head -20` */
  digits?: true;
  /**
   * Groups of options, each with its alternatives separated by "|". One of each group must be present: without it,
   * names would be looked up.
   */
  needs?: readonly string[];
  /** Allows none if absent. */
  operands?: Operands;
  /** The command shows the content of its operands. */
  reads?: true;
}

/** Checks the arguments of a command whose words follow no common form. */
export type Form = (words: readonly Word[]) => boolean;
export type Rule = CommandRule | Form;
/** The forms in which a program may be run, by its name. */
export type Grammar = Readonly<Record<string, Rule | readonly Rule[]>>;

export function allows(rule: Rule, words: readonly Word[]): boolean {
  if (typeof rule === 'function') return rule(words);
  const parsed = parseArguments(rule, words);
  if (!parsed) return false;
  const { operands = (given) => given.length === 0, needs = [] } = rule;
  if (!needs.every((group) => group.split('|').some((name) => parsed.options.has(name)))) return false;
  return operands(parsed.operands, parsed.options);
}

function parseArguments(rule: CommandRule, words: readonly Word[]): Arguments | undefined {
  const options = new Map<string, string | true>();
  const operands: Word[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word; word = rest.shift()) {
    const { value, glob } = word;
    if (value === '--') {
      operands.push(...rest);
      break;
    }
    if (!value.startsWith('-') || value === '-') {
      // A wildcard at the beginning may expand to an option. Other expansions are checked with the operands.
      if (glob && !value.startsWith('/')) return undefined;
      operands.push(word);
      continue;
    }
    const ahead = rest[0];
    if (glob || !takeOption(rule, value, rest, options)) return undefined;
    // Some parsers treat everything after the first operand as operands: they would read this value as a file.
    const isTaken = ahead !== undefined && rest[0] !== ahead;
    if (isTaken && rule.reads && operands.length > 0 && !/^[+-]?\d+$/.test(ahead.value)) return undefined;
  }
  return { options, operands };
}

function takeOption(
  rule: CommandRule,
  text: string,
  rest: Word[],
  options: Map<string, string | true>,
): boolean {
  if (rule.digits && /^-\d{1,6}$/.test(text)) return true;
  return text.startsWith('--') ? takeLong(rule, text, rest, options) : takeShort(rule, text, rest, options);
}

function takeLong(
  rule: CommandRule,
  text: string,
  rest: Word[],
  options: Map<string, string | true>,
): boolean {
  const [name = '', ...parts] = text.split('=');
  const attached = parts.length > 0 ? parts.join('=') : undefined;
  if (attached === undefined && flagsOf(rule).has(name)) {
    options.set(name, true);
    return true;
  }
  return (
    takeOptional(rule, name, attached, options) ||
    takeValue(rule, name, attached === undefined ? rest.shift() : written(attached), options)
  );
}

/** "-tulpn", "-n20", "-n 20" */
function takeShort(
  rule: CommandRule,
  text: string,
  rest: Word[],
  options: Map<string, string | true>,
): boolean {
  for (let index = 1; index < text.length; index++) {
    const name = `-${text[index]}`;
    if (flagsOf(rule).has(name)) {
      options.set(name, true);
      continue;
    }
    const attached = text.slice(index + 1) || undefined;
    return (
      takeOptional(rule, name, attached, options) ||
      takeValue(rule, name, attached === undefined ? rest.shift() : written(attached), options)
    );
  }
  return true;
}

const written = (value: string): Word => ({ value, glob: false });

function takeOptional(
  { optional = {} }: CommandRule,
  name: string,
  attached: string | undefined,
  options: Map<string, string | true>,
): boolean {
  const test = Object.hasOwn(optional, name) ? optional[name] : undefined;
  if (!test || (attached !== undefined && !test(written(attached)))) return false;
  options.set(name, attached ?? true);
  return true;
}

function takeValue(
  { values = {} }: CommandRule,
  name: string,
  word: Word | undefined,
  options: Map<string, string | true>,
): boolean {
  const test = Object.hasOwn(values, name) ? values[name] : undefined;
  if (!test || !word || word.glob || !test(word)) return false;
  options.set(name, word.value);
  return true;
}

const known = new WeakMap<CommandRule, ReadonlySet<string>>();

function flagsOf(rule: CommandRule): ReadonlySet<string> {
  let flags = known.get(rule);
  if (!flags) {
    const names = (rule.flags ?? '')
      .split(' ')
      .flatMap((part) => (part.startsWith('--') ? [part] : [...part].map((letter) => `-${letter}`)));
    flags = new Set(names);
    known.set(rule, flags);
  }
  return flags;
}
