import type { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Argument, Command, Option } from 'commander';
import { wordsOf } from '../cli/src/command.ts';
import { COMMANDS } from '../cli/src/commands/index.ts';
import { optionOf } from '../cli/src/fields.ts';
import { INPUTS } from '../cli/src/inputs.ts';
import { createProgram } from '../cli/src/program.ts';
import { OPERATIONS } from '../sdk/src/index.ts';

/** Date of the version that has these commands; a page is as old as its release. */
const DATE = 'November 25, 2026';

/** Returns the manual of `vauban`: the name of each page, such as `vauban-vm-create.1`, with its text in mdoc. */
export function emitMan(): Map<string, string> {
  const groups = Object.values(OPERATIONS).map(([resource, method]) => wordsOf(resource, method)[0]);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const program = createProgram({ env: {}, stdin, stdout, stderr, signal: AbortSignal.any([]) }, groups);
  const commands = leavesOf(program);
  return new Map([
    ['vauban.1', programPage(program, commands)],
    ...commands.map((command): [string, string] => [`${pageOf(command)}.1`, commandPage(program, command)]),
  ]);
}

type OperationId = keyof typeof OPERATIONS;

/** Required options, such as "vauban vm create --plan". The commands themselves leave this check to the API. */
const REQUIRED = new Set(
  Object.entries(INPUTS).flatMap(([operation, { fields }]) => {
    const [resource, method] = OPERATIONS[operation as OperationId];
    const { positional = [] } = COMMANDS[operation as OperationId];
    return Object.entries(fields)
      .filter(([name, { required }]) => required && !positional.includes(name))
      .map(([name]) => ['vauban', ...wordsOf(resource, method), optionOf(name)].join(' '));
  }),
);

/** Returns the commands that can be run: those of groups, and those on their own. */
function leavesOf(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => (one.commands.length > 0 ? leavesOf(one) : [one]));
}

/** Returns "vauban vm create". */
function lineOf(command: Command): string {
  return command.parent ? `${lineOf(command.parent)} ${command.name()}` : command.name();
}

const pageOf = (command: Command) => lineOf(command).replaceAll(' ', '-');

function programPage(program: Command, commands: readonly Command[]): string {
  const list = commands.map((command) => `.It Xr ${pageOf(command)} 1\n${sentence(command.description())}`);
  const { text, examples } = helpOf(program);
  return page(program, [
    `.Sh SYNOPSIS\n.Nm\n.Op Ar options\n.Ar command\n.Op Ar arguments`,
    `.Sh DESCRIPTION\n${prose(program.description())}\n${prose('Each command has a page of its own.')}`,
    optionsSection(program.options),
    `.Sh COMMANDS\n.Bl -tag -width Ds\n${list.join('\n')}\n.El`,
    `.Sh ENVIRONMENT\n.Bl -tag -width Ds\n${Object.entries(ENVIRONMENT)
      .map(([name, about]) => `.It Ev ${name}\n${prose(about)}`)
      .join('\n')}\n.El`,
    `.Sh FILES\n.Bl -tag -width Ds\n.It Pa ~/.config/vauban/contexts.json\nContexts and their keys, which only their owner may read.\n.El`,
    `.Sh EXIT STATUS\n${prose(text.replace(/^Exit status: /, ''))}`,
    examplesSection(examples),
  ]);
}

const ENVIRONMENT = {
  VAUBAN_URL: 'The address of the service, together with VAUBAN_API_KEY.',
  VAUBAN_API_KEY: 'The key.',
  VAUBAN_CONTEXT: 'The context to use if neither these variables nor --context choose one.',
  VAUBAN_CONFIG: 'The file of contexts.',
};

function commandPage(program: Command, command: Command): string {
  const { text, examples } = helpOf(command);
  const needed = command.options
    .filter(({ mandatory, long }) => mandatory || REQUIRED.has(`${lineOf(command)} ${long}`))
    .map((option) => `.Fl ${flagOf(option)}`);
  return page(command, [
    [
      `.Sh SYNOPSIS\n.Nm ${lineOf(command)}`,
      ...command.registeredArguments.map(argumentOf),
      ...needed,
      ...(command.options.length > needed.length ? ['.Op Ar options'] : []),
    ].join('\n'),
    `.Sh DESCRIPTION\n${prose(sentence(command.description()))}${text && `\n.Pp\n${prose(text)}`}`,
    argumentsSection(command.registeredArguments),
    optionsSection([...command.options, ...program.options.filter(({ long }) => long !== '--version')]),
    `.Sh EXIT STATUS\nSee\n.Xr vauban 1 .`,
    examplesSection(examples),
    '.Sh SEE ALSO\n.Xr vauban 1',
  ]);
}

function page(command: Command, sections: readonly string[]): string {
  const name = pageOf(command);
  const about = command.description().replace(/\.$/, '');
  return [
    `.\\" Made from the tables of the commands by npm run generate: do not edit.`,
    `.Dd ${DATE}\n.Dt ${name.toUpperCase()} 1\n.Os Vauban`,
    `.Sh NAME\n.Nm ${name}\n.Nd ${escaped(about[0]!.toLowerCase() + about.slice(1))}`,
    ...sections.filter(Boolean),
    '',
  ].join('\n');
}

function argumentOf(argument: Argument): string {
  const word = `Ar ${operand(argument.name())}${argument.variadic ? ' ...' : ''}`;
  return argument.required ? `.${word}` : `.Op ${word}`;
}

function argumentsSection(all: readonly Argument[]): string {
  const described = all.filter(({ description }) => description);
  if (described.length === 0) return '';
  const list = described.map((one) => `.It Ar ${operand(one.name())}\n${prose(sentence(one.description))}`);
  return `.Sh ARGUMENTS\n.Bl -tag -width Ds\n${list.join('\n')}\n.El`;
}

/** Returns "\-plan Ar text", for use after `Fl`. */
function flagOf({ long, short, flags }: Option): string {
  const [, value] = /[<[](.+)[>\]]$/.exec(flags) ?? [];
  const names = [short?.slice(1), long?.replace(/^-/, '').replaceAll('-', '\\-')]
    .filter(Boolean)
    .join(' , Fl ');
  return value ? `${names} Ar ${operand(value)}` : names;
}

function optionsSection(options: readonly Option[]): string {
  const shown = options.filter(({ hidden }) => !hidden);
  if (shown.length === 0) return '';
  const list = shown.map((option) => {
    const { description, argChoices, defaultValue } = option;
    const more = [
      ...(argChoices ? [`One of ${argChoices.join(', ')}.`] : []),
      ...(typeof defaultValue === 'string' ? [`By default ${defaultValue}.`] : []),
    ];
    const about = [...(description ? [sentence(description)] : []), ...more].join(' ');
    return `.It Fl ${flagOf(option)}${about && `\n${prose(about)}`}`;
  });
  return `.Sh OPTIONS\n.Bl -tag -width Ds\n${list.join('\n')}\n.El`;
}

function examplesSection(examples: readonly string[]): string {
  if (examples.length === 0) return '';
  return `.Sh EXAMPLES\n.Bd -literal -offset indent\n${examples.map((line) => escaped(line)).join('\n')}\n.Ed`;
}

/** Returns the help of a command below its options: a text, and example command lines. */
function helpOf(command: Command): { text: string; examples: string[] } {
  let help = '';
  (command as unknown as EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (text: string) => (help += text),
  });
  const lines = help.split('\n').map((line) => line.trim());
  const examples = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
  const text = lines.filter((line) => line && !line.startsWith('$ ') && !/^Examples?:$/.test(line)).join(' ');
  return { text, examples };
}

/** Adds a capital and a full stop. */
function sentence(text: string): string {
  const whole = text.trim();
  return `${whole[0]!.toUpperCase()}${whole.slice(1)}${/[.:?!]$/.test(whole) ? '' : '.'}`;
}

/** Returns a paragraph with one sentence per line, as mdoc requires. */
function prose(text: string): string {
  return escaped(text.replaceAll('`', '').replace(/\s+/g, ' ')).replace(
    /([A-Za-z0-9)"][.?!]) (?=[A-Z"])/g,
    '$1\n',
  );
}

/** Escapes text so that the formatter never treats it as an instruction. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\e').replace(/^([.'])/gm, '\\&$1');
}

/** Escapes a word on a macro line so that it is neither a macro nor a delimiter. */
function operand(word: string): string {
  return word
    .replace(/\|/g, '\\&|\\&')
    .replace(/^([A-Z][a-z])$/, '\\&$1')
    .replaceAll('-', '\\-');
}
