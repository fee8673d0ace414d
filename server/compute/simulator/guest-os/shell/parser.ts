import {
  type Assignment,
  type Command,
  type CommandNode,
  type DoubleQuotedChild,
  type ParseError,
  type PipelineNode,
  parse as parseBash,
  type Redirection,
  type Statement,
  type Word as WordNode,
  type WordPart,
} from 'unbash';
import {
  type Part,
  type Pipeline,
  type Redirect,
  type SimpleCommand,
  SyntaxFault,
  type Word,
} from './syntax.ts';

/** Limit for a line, whether typed or sent by a program: nothing longer is a real command. */
const MAX_SCRIPT = 65_536;

/**
 * Parses a script into pipelines. Throws {@link SyntaxFault}, also for syntax that bash supports and this shell does
 * not.
 */
export function parse(script: string): Pipeline[] {
  if (script.length > MAX_SCRIPT) throw new SyntaxFault('the script is too long');
  const { commands, errors } = parseBash(script);
  if (errors && errors.length > 0) throw new SyntaxFault(faultOf(errors));
  return commands.flatMap(pipelinesOf);
}

/** Uses bash's wording for common mistakes. */
function faultOf(errors: readonly ParseError[]): string {
  const { message } = errors.find((error) => error.message.startsWith('unexpected')) ?? errors[0]!;
  if (message.startsWith('unexpected token')) return `syntax error near ${message}`;
  const open = /^unterminated (.*)/.exec(message)?.[1];
  if (open === undefined) return `syntax error: ${message}`;
  return `unexpected end of line while looking for matching ${CLOSING[open] ?? open}`;
}

const CLOSING: Record<string, string> = {
  'double quote': '"',
  'single quote': "'",
  backtick: '`',
  'command substitution': ')',
  'parameter expansion': '}',
};

const CONDITIONS = { '&&': 'success', '||': 'failure' } as const;

function pipelinesOf({ command, background }: Statement): Pipeline[] {
  if (background) throw new SyntaxFault('background jobs are not simulated');
  if (command.type !== 'AndOr') return [pipelineOf(command, 'always')];
  return command.commands.map((node, at) =>
    pipelineOf(node, at === 0 ? 'always' : CONDITIONS[command.operators[at - 1]!]),
  );
}

function pipelineOf(node: PipelineNode, when: Pipeline['when']): Pipeline {
  if (node.type !== 'Pipeline') return { when, negated: false, commands: [commandOf(node)] };
  if (node.operators.includes('|&')) throw notSimulated('|&');
  const negations = node.prefixes.filter(({ type }) => type === 'Negation').length;
  return { when, negated: negations % 2 === 1, commands: node.commands.map(commandOf) };
}

const notSimulated = (what: string) => new SyntaxFault(`${what}: not simulated`);

function commandOf(node: CommandNode): SimpleCommand {
  if (node.type !== 'Command') throw notSimulated('shell programming');
  const { name, args, prefix, redirects } = node satisfies Command;
  return {
    assignments: prefix.filter((part) => part.type === 'Assignment').map(assignmentOf),
    words: [...(name ? [wordOf(name)] : []), ...args.map(argumentOf)],
    redirects: redirects.flatMap(redirectsOf),
  };
}

function assignmentOf({
  name,
  value,
  append,
  index,
  text,
}: Assignment): SimpleCommand['assignments'][number] {
  if (value.type === 'ArrayValue' || append || index) throw notSimulated(text);
  return { name, value: wordOf(value) };
}

/** An assignment after the command name is an argument, for example after `export`. */
function argumentOf(argument: WordNode | Assignment): Word {
  if (argument.type === 'Word') return wordOf(argument);
  const { name, value } = assignmentOf(argument);
  return [plain(`${name}=`), ...value];
}

const plain = (text: string): Part => ({ kind: 'text', text, quoted: false });
const quoted = (text: string): Part => ({ kind: 'text', text, quoted: true });

function wordOf({ parts, text, value }: WordNode): Word {
  // Without parts, the word is literal. If it differs from its source, it contains escaped characters.
  return parts ? parts.flatMap(partsOf) : [text === value ? plain(value) : quoted(value)];
}

function partsOf(part: WordPart): Part[] {
  switch (part.type) {
    case 'Literal':
      return [part.text === part.value ? plain(part.value) : quoted(part.value)];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [quoted(part.value)];
    case 'DoubleQuoted':
    case 'LocaleString':
      // An empty quoted text still counts as a word.
      return [quoted(''), ...part.parts.map((child) => ({ ...partOf(child), quoted: true }))];
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return [plain(part.text)];
    case 'ProcessSubstitution':
      throw notSimulated(part.text);
    default:
      return [partOf(part)];
  }
}

function partOf(part: DoubleQuotedChild): Part {
  switch (part.type) {
    case 'Literal':
      return plain(part.value);
    case 'SimpleExpansion':
      return { kind: 'variable', text: part.text.slice(1), quoted: false };
    case 'ParameterExpansion':
      if (part.operation || part.prefix || part.index) throw notSimulated(part.text);
      return { kind: 'variable', text: part.parameter, quoted: false };
    case 'CommandExpansion':
      return { kind: 'command', text: scriptIn(part.text), quoted: false };
    case 'ArithmeticExpansion':
      throw notSimulated(part.text);
  }
}

/** Returns the script inside `$( )` or backticks. */
function scriptIn(text: string): string {
  return text.startsWith('`') ? text.slice(1, -1).replace(/\\([\\`$])/g, '$1') : text.slice(2, -1);
}

const HOW = { '<': 'read', '>': 'write', '>|': 'write', '>>': 'append' } as const;

function redirectsOf(node: Redirection): Redirect[] {
  if (node.type === 'HereString') throw notSimulated(node.operator);
  if (node.type === 'HereDoc') {
    if (!node.closing) throw new SyntaxFault(`here-document without '${node.delimiter?.value}'`);
    return [{ fd: 0, how: 'text', to: [quoted(node.body.text)] }];
  }
  const { operator } = node;
  const to = wordOf(node.target!);
  const both = (how: 'write' | 'append'): Redirect[] => [
    { fd: 1, how, to },
    { fd: 2, how: 'copy', to: [quoted('1')] },
  ];
  if (operator === '&>') return both('write');
  if (operator === '&>>') return both('append');
  if (operator === '>&')
    return [{ fd: outputOf(node.descriptor), how: 'copy', to: outputNamed(node.target!) }];
  if (operator === '<>' || operator === '<&') throw notSimulated(operator);
  if (operator === '<' && !node.descriptor) return [{ fd: 0, how: 'read', to }];
  return [{ fd: outputOf(node.descriptor), how: HOW[operator], to }];
}

/** Returns standard output or standard error; other descriptors are not simulated. */
function outputOf(descriptor: { value: number } | { name: string } | undefined): 1 | 2 {
  if (!descriptor) return 1;
  if ('value' in descriptor && (descriptor.value === 1 || descriptor.value === 2)) return descriptor.value;
  throw notSimulated('other file descriptors');
}

function outputNamed({ value }: WordNode): Word {
  if (value !== '1' && value !== '2') throw notSimulated(`>&${value}`);
  return [quoted(value)];
}
