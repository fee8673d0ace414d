import type { Word } from './words.ts';

/** Whether a word may stand somewhere. */
export type Test = (word: Word) => boolean;

/** The arguments of a command, taken apart as its own option parser does it. */
export interface Arguments {
  /** By the name as it was written: "-n", "--lines"; true for one without a value. */
  options: ReadonlyMap<string, string | true>;
  operands: readonly Word[];
}

/** Which arguments a command may have. What is not named is not allowed. */
export interface CommandRule {
  /** Options without a value: letters of short ones, and long ones, apart by blanks: "aef --forest". */
  flags?: string;
  /** Options with a value: "-n" or "--lines". One whose value may be left out must have a narrow test. */
  values?: Record<string, Test>;
  /** `head -20` */
  digits?: true;
  /** None when absent. */
  operands?: (operands: readonly Word[], options: Arguments['options']) => boolean;
}

/** Whether a rule allows these arguments. */
export function allows(rule: CommandRule, words: readonly Word[]): boolean {
  const parsed = parseArguments(rule, words);
  if (!parsed) return false;
  const { operands = (given) => given.length === 0 } = rule;
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
      // A wildcard at the beginning may become an option; what else it becomes is the operands' business.
      if (glob && !value.startsWith('/')) return undefined;
      operands.push(word);
    } else if (glob || !takeOption(rule, value, rest, options)) return undefined;
  }
  return { options, operands };
}

function takeOption(
  rule: CommandRule,
  text: string,
  rest: Word[],
  options: Map<string, string | true>,
): boolean {
  if (rule.digits && /^-\d+$/.test(text)) return true;
  return text.startsWith('--') ? takeLong(rule, text, rest, options) : takeShort(rule, text, rest, options);
}

function takeLong(
  rule: CommandRule,
  text: string,
  rest: Word[],
  options: Map<string, string | true>,
): boolean {
  const [name = '', ...parts] = text.split('=');
  if (parts.length === 0 && flagsOf(rule).has(name)) {
    options.set(name, true);
    return true;
  }
  const value = parts.length > 0 ? { value: parts.join('='), glob: false } : rest.shift();
  return takeValue(rule, name, value, options);
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
    const attached = text.slice(index + 1);
    return takeValue(rule, name, attached ? { value: attached, glob: false } : rest.shift(), options);
  }
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
