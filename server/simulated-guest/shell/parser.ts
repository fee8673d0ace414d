import { lex, type Token } from './lexer.ts';
import { type Pipeline, type Redirect, type SimpleCommand, SyntaxFault, type Word } from './syntax.ts';

const text = (value: string): Word => [{ kind: 'text', text: value, quoted: true }];
const EMPTY = (): SimpleCommand => ({ assignments: [], words: [], redirects: [] });

/** Operators that send descriptors somewhere: `file` stands for the word behind. */
const REDIRECTS: Record<string, (file: () => Word) => Redirect[]> = {
  '<': (file) => [{ fd: 0, how: 'read', to: file() }],
  '>': (file) => [{ fd: 1, how: 'write', to: file() }],
  '1>': (file) => [{ fd: 1, how: 'write', to: file() }],
  '>>': (file) => [{ fd: 1, how: 'append', to: file() }],
  '1>>': (file) => [{ fd: 1, how: 'append', to: file() }],
  '2>': (file) => [{ fd: 2, how: 'write', to: file() }],
  '2>>': (file) => [{ fd: 2, how: 'append', to: file() }],
  '&>': (file) => [
    { fd: 1, how: 'write', to: file() },
    { fd: 2, how: 'copy', to: text('1') },
  ],
  '&>>': (file) => [
    { fd: 1, how: 'append', to: file() },
    { fd: 2, how: 'copy', to: text('1') },
  ],
  '2>&1': () => [{ fd: 2, how: 'copy', to: text('1') }],
  '1>&2': () => [{ fd: 1, how: 'copy', to: text('2') }],
  '>&2': () => [{ fd: 1, how: 'copy', to: text('2') }],
};

/** Parses a script into pipelines. Throws {@link SyntaxFault}. */
export function parse(script: string): Pipeline[] {
  return new Parser(lex(script)).script();
}

class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  script(): Pipeline[] {
    const pipelines: Pipeline[] = [];
    let when: Pipeline['when'] = 'always';
    let continued = false;
    while (this.#at < this.#tokens.length) {
      if (this.#take(';') || this.#take('\n')) {
        if (!continued) when = 'always';
        continue;
      }
      pipelines.push(this.#pipeline(when));
      continued = false;
      when = 'always';
      if (this.#take('&&')) when = 'success';
      else if (this.#take('||')) when = 'failure';
      continued = when !== 'always';
    }
    if (continued) throw new SyntaxFault('syntax error: unexpected end of file');
    return pipelines;
  }

  #take(operator: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'operator' || token.text !== operator) return false;
    this.#at++;
    return true;
  }

  #pipeline(when: Pipeline['when']): Pipeline {
    const token = this.#tokens[this.#at];
    const negated = token?.kind === 'word' && token.raw === '!';
    if (negated) this.#at++;
    const commands = [this.#command()];
    while (this.#take('|')) {
      while (this.#take('\n'));
      commands.push(this.#command());
    }
    if (this.#take('&')) throw new SyntaxFault('background jobs are not simulated');
    return { when, negated, commands };
  }

  #command(): SimpleCommand {
    const command = EMPTY();
    for (let token = this.#tokens[this.#at]; token; token = this.#tokens[this.#at]) {
      if (token.kind === 'word') {
        this.#at++;
        this.#place(command, token.word, token.raw);
      } else if (token.kind === 'here') {
        this.#at++;
        command.redirects.push({ fd: 0, how: 'text', to: text(token.text) });
      } else {
        const redirect = REDIRECTS[token.text];
        if (!redirect) break;
        this.#at++;
        command.redirects.push(...redirect(() => this.#file()));
      }
    }
    if (command.words.length + command.assignments.length + command.redirects.length > 0) return command;
    const token = this.#tokens[this.#at];
    const shown = token?.kind === 'operator' && token.text !== '\n' ? token.text : 'newline';
    throw new SyntaxFault(`syntax error near unexpected token '${shown}'`);
  }

  #place(command: SimpleCommand, word: Word, raw: string): void {
    const name = /^([A-Za-z_]\w*)=/.exec(raw)?.[1];
    const [first, ...rest] = word;
    if (name === undefined || command.words.length > 0 || first?.kind !== 'text') {
      command.words.push(word);
      return;
    }
    const value = [{ ...first, text: first.text.slice(name.length + 1) }, ...rest];
    command.assignments.push({ name, value });
  }

  #file(): Word {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== 'word') throw new SyntaxFault("syntax error near unexpected token 'newline'");
    return token.word;
  }
}
