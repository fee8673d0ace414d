import { type Assignment, type Command, parse, type Redirection, type Statement } from 'unbash';
import { readWord, type Word } from './words.ts';

/** A program with its arguments, as a shell would start it. */
export interface SimpleCommand {
  assignments: { name: string; value: string }[];
  words: Word[];
}

/**
 * Printable ASCII, tabs and newlines: a deceptively similar letter or a hidden character must not get into an approval.
 */
const PLAIN = /^[\x20-\x7e\t\n]*$/;
/** Redirections that neither read nor write a file. */
const HARMLESS_REDIRECTION = /^(?:2>&1|[12]?>>?[ \t]*\/dev\/null|<[ \t]*\/dev\/null)$/;
/** Everything allowed between the words of an understood command. */
const BETWEEN = /^(?:[ \t\n;!|]|&&)*$/;

/** The message says why a script is not understood. */
export class NotUnderstood extends Error {}

/**
 * Returns the simple commands of a script, in any of the shells that a guest may have. Throws {@link NotUnderstood} at
 * anything other than commands joined by `;`, newline, `|`, `&&` and `||`.
 * Does not trust the parser alone: each word is read a second time with a grammar of our own, and the rest between the
 * words must be blanks and those operators. A command that the parser missed, or split differently than a shell does,
 * would show up there.
 */
export function readScript(source: string): SimpleCommand[] {
  if (!PLAIN.test(source)) throw new NotUnderstood('it contains characters other than plain ASCII');
  const reader = new ScriptReader(source);
  const script = parse(source);
  if (script.errors && script.errors.length > 0)
    throw new NotUnderstood('it is not a complete shell command');
  for (const statement of script.commands) reader.statement(statement);
  reader.requireAllRead();
  if (reader.commands.length === 0) throw new NotUnderstood('it is empty');
  return reader.commands;
}

class ScriptReader {
  readonly commands: SimpleCommand[] = [];
  readonly #source: string;
  readonly #read: { pos: number; end: number }[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  statement({ command, background }: Statement): void {
    if (background) throw new NotUnderstood('it continues in the background');
    this.#node(command);
  }

  #node(node: Statement['command']): void {
    switch (node.type) {
      case 'AndOr':
      case 'Pipeline':
        for (const part of node.commands) this.#node(part);
        return;
      case 'Command':
        this.#command(node);
        return;
      default:
        throw new NotUnderstood(`it uses ${NAMES[node.type] ?? 'shell programming'}`);
    }
  }

  #command({ name, prefix, suffix }: Command): void {
    const assignments: SimpleCommand['assignments'] = [];
    const words = name ? [this.#word(name)] : [];
    for (const part of prefix) {
      if (part.type === 'Assignment') assignments.push(this.#assignment(part));
      else this.#redirection(part);
    }
    for (const part of suffix) {
      if (part.type === 'Word' || part.type === 'Assignment') words.push(this.#word(part));
      else this.#redirection(part);
    }
    if (words.length === 0) throw new NotUnderstood('it sets variables');
    this.commands.push({ assignments, words });
  }

  #word(span: { pos: number; end: number }): Word {
    const word = readWord(this.#take(span));
    if (!word) throw new NotUnderstood('it has expansions or quoting that the shell would resolve');
    return word;
  }

  #assignment(span: Assignment): { name: string; value: string } {
    const { value } = this.#word(span);
    const [name = '', ...rest] = value.split('=');
    return { name, value: rest.join('=') };
  }

  #redirection(span: Redirection): void {
    if (span.type === 'HereDoc' || !HARMLESS_REDIRECTION.test(this.#take(span)))
      throw new NotUnderstood('it redirects input or output');
  }

  #take(span: { pos: number; end: number }): string {
    this.#read.push(span);
    return this.#source.slice(span.pos, span.end);
  }

  /** Throws if the source contains more than was read. */
  requireAllRead(): void {
    let rest = '';
    let end = 0;
    for (const span of this.#read.sort((a, b) => a.pos - b.pos)) {
      // Overlapping spans were split wrongly.
      if (span.pos < end) throw new NotUnderstood('it cannot be analyzed');
      rest += `${this.#source.slice(end, span.pos)} `;
      end = span.end;
    }
    rest += this.#source.slice(end);
    if (!BETWEEN.test(rest)) throw new NotUnderstood('it cannot be analyzed');
  }
}

const NAMES: Partial<Record<Statement['command']['type'], string>> = {
  Function: 'a function',
  Subshell: 'a subshell',
  BraceGroup: 'a group',
  For: 'a loop',
  While: 'a loop',
  If: 'a condition',
  Case: 'a condition',
  Coproc: 'a coprocess',
};
