import { type Part, SyntaxFault, type Word } from './syntax.ts';

export type Token =
  | { kind: 'word'; word: Word; raw: string }
  | { kind: 'operator'; text: string }
  | { kind: 'here'; text: string };

const OPERATORS = [
  '2>&1',
  '1>&2',
  '>&2',
  '&>>',
  '&>',
  '2>>',
  '2>',
  '1>>',
  '1>',
  '<<-',
  '<<',
  '>>',
  '&&',
  '||',
  '>',
  '<',
  '|',
  ';',
  '&',
  '\n',
];
/** Of a line, typed or sent by a program: a longer one is no command. */
const MAX_SCRIPT = 65_536;

/** Cuts a script into words and operators; comments fall away. Throws {@link SyntaxFault}. */
export function lex(script: string): Token[] {
  if (script.length > MAX_SCRIPT) throw new SyntaxFault('the script is too long');
  return new Lexer(script).all();
}

class Lexer {
  readonly #text: string;
  #at = 0;
  readonly #tokens: Token[] = [];
  /** Here-documents whose text begins after the present line. */
  #awaited: { index: number; end: string }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  all(): Token[] {
    while (this.#at < this.#text.length) this.#next();
    if (this.#awaited.length > 0) throw new SyntaxFault('here-document without its end');
    return this.#tokens;
  }

  #next(): void {
    const char = this.#text[this.#at]!;
    if (char === ' ' || char === '\t' || char === '\r') this.#at++;
    else if (char === '\\' && this.#text[this.#at + 1] === '\n') this.#at += 2;
    else if (char === '#') this.#at = this.#endOfLine();
    else if (!this.#operator()) {
      const from = this.#at;
      const word = this.#word();
      this.#tokens.push({ kind: 'word', word, raw: this.#text.slice(from, this.#at) });
    }
  }

  #endOfLine(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end < 0 ? this.#text.length : end;
  }

  #operator(): boolean {
    const text = OPERATORS.find((one) => this.#text.startsWith(one, this.#at));
    if (!text) return false;
    this.#at += text.length;
    if (text === '<<' || text === '<<-') {
      while (this.#text[this.#at] === ' ') this.#at++;
      const end = this.#word()
        .map((part) => part.text)
        .join('');
      this.#awaited.push({ index: this.#tokens.length, end });
      this.#tokens.push({ kind: 'here', text: '' });
      return true;
    }
    this.#tokens.push({ kind: 'operator', text });
    if (text === '\n') this.#hereDocuments();
    return true;
  }

  #hereDocuments(): void {
    for (const { index, end } of this.#awaited) {
      let text = '';
      for (;;) {
        if (this.#at >= this.#text.length) throw new SyntaxFault(`here-document without '${end}'`);
        const stop = this.#endOfLine();
        const line = this.#text.slice(this.#at, stop);
        this.#at = Math.min(stop + 1, this.#text.length);
        if (line.trim() === end) break;
        text += `${line}\n`;
      }
      this.#tokens[index] = { kind: 'here', text };
    }
    this.#awaited = [];
  }

  #word(): Word {
    const parts: Part[] = [];
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (/[\s;|&<>]/.test(char)) break;
      if (char === '(' || char === ')') throw new SyntaxFault(`syntax error near unexpected token '${char}'`);
      if (char === "'") parts.push({ kind: 'text', text: this.#upTo("'"), quoted: true });
      else if (char === '"') this.#doubleQuoted(parts);
      else if (char === '\\') parts.push(this.#escaped());
      else if (char === '$' || char === '`') parts.push(this.#dollar(false));
      else parts.push({ kind: 'text', text: this.#plain(), quoted: false });
    }
    return parts;
  }

  #escaped(): Part {
    const text = this.#text[this.#at + 1] ?? '';
    this.#at += 2;
    return { kind: 'text', text, quoted: true };
  }

  #plain(): string {
    const [text] = /^[^\s;|&<>()'"\\$`]+/.exec(this.#text.slice(this.#at))!;
    this.#at += text.length;
    return text;
  }

  /** The text between the quote at the present place and the next one. */
  #upTo(quote: string): string {
    const end = this.#text.indexOf(quote, this.#at + 1);
    if (end < 0) throw new SyntaxFault(`unexpected end of line while looking for matching ${quote}`);
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return text;
  }

  #doubleQuoted(parts: Part[]): void {
    this.#at++;
    parts.push({ kind: 'text', text: '', quoted: true });
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new SyntaxFault('unexpected end of line while looking for matching "');
      if (char === '"') break;
      if (char === '$' || char === '`') {
        parts.push(this.#dollar(true));
        continue;
      }
      const escaped = char === '\\' && /["\\$`]/.test(this.#text[this.#at + 1] ?? '');
      parts.push({ kind: 'text', text: escaped ? this.#text[this.#at + 1]! : char, quoted: true });
      this.#at += escaped ? 2 : 1;
    }
    this.#at++;
  }

  #dollar(quoted: boolean): Part {
    if (this.#text[this.#at] === '`') return { kind: 'command', text: this.#upTo('`'), quoted };
    if (this.#text.startsWith('$(', this.#at))
      return { kind: 'command', text: this.#parenthesised(), quoted };
    const name = /^\$(?:\{(\w+|\?)\}|([A-Za-z_]\w*|[?$#0-9]))/.exec(this.#text.slice(this.#at));
    this.#at += name ? name[0].length : 1;
    return name
      ? { kind: 'variable', text: (name[1] ?? name[2])!, quoted }
      : { kind: 'text', text: '$', quoted };
  }

  #parenthesised(): string {
    const from = this.#at + 2;
    let depth = 1;
    for (let at = from; at < this.#text.length; at++) {
      const char = this.#text[at];
      if (char === "'") at = Math.max(at, this.#text.indexOf("'", at + 1));
      else if (char === '(') depth++;
      else if (char === ')' && --depth === 0) {
        this.#at = at + 1;
        return this.#text.slice(from, at);
      }
    }
    throw new SyntaxFault('unexpected end of line while looking for matching )');
  }
}
