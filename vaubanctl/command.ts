import { Argument, type Command, Option } from 'commander';
import { confirm } from './confirm.ts';
import { contextOf } from './context.ts';
import { type Answer, type Input, LONG_TIMEOUT_MS, type OperationId } from './operator-client.ts';
import { parseCount } from './option-values.ts';
import { printJson } from './output.ts';

/** Adds a command, or a group of them, to its parent. */
export type Add = (parent: Command) => void;

/** The usage of an argument or option, its help text, and its parser if its value is not a string. */
type Usage = readonly [usage: string, about?: string, parse?: (text: string, before: never) => unknown];

/** A command that calls one operation and prints its reply. */
interface Spec<O extends OperationId> {
  about: string;
  /** The input's fields that are positional arguments, in this order. */
  args?: { [F in keyof Input<O>]?: Usage };
  /** The input's fields that are options, in the order of the help. */
  options?: { [F in keyof Input<O>]?: Usage | Option };
  /** Fields that have the same value in each call. */
  fixed?: Partial<Input<O>>;
  /** For a list: the default number of items, and the help text of `--count`. */
  count?: readonly [number, string];
  /** Returns what to ask unless `--yes` is given; undefined asks nothing. */
  question?: (input: Input<O>) => string | undefined;
  /** The help text of `--yes`. */
  yes?: string;
  /** The help text below the options. */
  help?: string;
  /** Runs without a subcommand of its group, too. */
  isDefault?: true;
  /** The operation copies or checks large files. */
  isLong?: true;
  /** Returns true if the command exits with 1 although the operation succeeded. */
  isBad?: (answer: Answer<O>) => boolean;
  print: (answer: Answer<O>, input: Input<O>) => void;
}

/** Returns a command from its table. */
export function plain<O extends OperationId>(name: string, operation: O, spec: Spec<O>): Add {
  const { question, isBad, isLong, count } = spec;
  const options = Object.entries<Usage | Option>((spec.options ?? {}) as Record<string, Usage | Option>).map(
    ([field, usage]) => [field, usage instanceof Option ? usage : optionOf(usage)] as const,
  );
  return (parent) => {
    const command = parent
      .command(name, { isDefault: spec.isDefault ?? false })
      .description(spec.about)
      .action(async () => {
        const given = command.opts();
        const names = Object.keys(spec.args ?? {});
        const input = Object.fromEntries([
          ...Object.entries(spec.fixed ?? {}),
          ...names.map((field, index) => [field, command.processedArgs[index]]),
          ...options.map(([field, option]) => [field, given[option.attributeName()]]),
        ]) as Input<O>;
        const asked = question?.(input);
        if (asked !== undefined) await confirm(asked, given.yes);
        const { client, json } = contextOf(command);
        const answer = await client.perform(operation, input, {
          ...(isLong && { timeoutMs: LONG_TIMEOUT_MS }),
          ...(count && { count: given.count ?? count[0] }),
        });
        if (isBad?.(answer)) process.exitCode = 1;
        if (json) printJson(answer);
        else spec.print(answer, input);
      });
    for (const [usage, about, parse] of Object.values<Usage>((spec.args ?? {}) as Record<string, Usage>))
      command.addArgument(withParser(new Argument(usage, about), parse));
    for (const [, option] of options) command.addOption(option);
    if (count) command.option('--count <number>', count[1], parseCount);
    if (question) command.option('--yes', spec.yes ?? 'do not ask for confirmation');
    if (spec.help) command.addHelpText('after', `\n${spec.help}`);
  };
}

/** Returns an option without which the command is refused. */
export const required = (...usage: Usage): Option => optionOf(usage).makeOptionMandatory();

function optionOf([usage, about, parse]: Usage): Option {
  return withParser(new Option(usage, about), parse);
}

function withParser<T extends Argument | Option>(given: T, parse: Usage[2]): T {
  if (parse) given.argParser(parse as (text: string, before: unknown) => unknown);
  return given;
}

/** Returns a command that has subcommands. */
export function group(name: string, about: string, ...commands: Add[]): Add {
  return (program) => {
    const parent = program.command(name).description(about);
    for (const add of commands) add(parent);
  };
}
