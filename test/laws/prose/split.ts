/** A comment, a text of the program, the name of a test, or a paragraph of a document, and the line on which it begins. */
export interface Piece {
  kind: 'comment' | 'text' | 'title' | 'document';
  text: string;
  line: number;
}

/** A slash after one of these begins a regular expression rather than a division. */
const BEFORE_REGEXP =
  /(?:^|[=(,:;!&|?{}[\]+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield))$/;
/** Everything that may change what the next characters are; the code in between is skipped. */
const NEXT = /[/'"`{}]/g;
const STRING_END = { "'": /(?<!\\)(?:\\\\)*['\n]/g, '"': /(?<!\\)(?:\\\\)*["\n]/g } as const;
const REGEXP = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE = /\\[\s\S]|`|\$\{/g;

/** Splits a TypeScript, JavaScript or Go file into its comments and its string literals, without their marks. */
export function piecesOfCode(source: string): Piece[] {
  const pieces: Piece[] = [];
  /** For each template whose `${…}` is open: the braces open within it, and the text of the template so far. */
  const templates: { braces: number; start: number; text: string }[] = [];
  let line = 1;
  let counted = 0;
  const lineAt = (index: number) => {
    for (let at = source.indexOf('\n', counted); at >= 0 && at < index; at = source.indexOf('\n', at + 1))
      line++;
    counted = Math.max(counted, index);
    return line;
  };
  let lastLineComment = -2;
  const add = (kind: Piece['kind'], start: number, text: string) =>
    pieces.push({ kind, text, line: lineAt(start) });

  function lineComment(start: number, text: string): void {
    const last = pieces.at(-1);
    const startLine = lineAt(start);
    // Line comments that follow each other are one piece.
    if (last?.kind === 'comment' && lastLineComment === startLine - 1) last.text += ` ${text}`;
    else pieces.push({ kind: 'comment', text, line: startLine });
    lastLineComment = isFirst(source, start) ? startLine : -2;
  }

  function template(from: number, start: number, before: string): number {
    let text = before;
    let at = from;
    for (;;) {
      TEMPLATE.lastIndex = at;
      const found = TEMPLATE.exec(source);
      if (!found) return source.length;
      text += source.slice(at, found.index);
      at = TEMPLATE.lastIndex;
      if (found[0] === '`') {
        add(textOr(source, start), start, text);
        return at;
      }
      if (found[0] === '${') {
        templates.push({ braces: 0, start, text: `${text}X` });
        return at;
      }
      text += ' ';
    }
  }

  let at = 0;
  for (;;) {
    NEXT.lastIndex = at;
    const found = NEXT.exec(source);
    if (!found) return pieces;
    const start = found.index;
    const sign = found[0];
    at = start + 1;
    if (sign === '/') {
      if (source[at] === '/') {
        const end = endOf(source, '\n', at);
        lineComment(start, withoutCode(source.slice(start + 2, end)));
        at = end;
      } else if (source[at] === '*') {
        const end = endOf(source, '*/', at + 1);
        add('comment', start, withoutCode(source.slice(start + 2, end).replace(/^\s*\*+ ?/gm, '')));
        at = end + 2;
      } else if (BEFORE_REGEXP.test(source.slice(Math.max(0, start - 24), start).trimEnd())) {
        REGEXP.lastIndex = start;
        if (REGEXP.test(source)) at = REGEXP.lastIndex;
      }
    } else if (sign === "'" || sign === '"') {
      const ends = STRING_END[sign];
      ends.lastIndex = at;
      const end = ends.exec(source);
      if (!end) return pieces;
      add(
        'text',
        start,
        source
          .slice(at, ends.lastIndex - 1)
          .replace(/\\n/g, ' ')
          .replaceAll('\\', ''),
      );
      at = ends.lastIndex;
    } else if (sign === '`') at = template(at, start, '');
    else {
      const open = templates.at(-1);
      if (!open) continue;
      if (sign === '{') open.braces++;
      else if (open.braces > 0) open.braces--;
      else {
        templates.pop();
        at = template(at, open.start, open.text);
      }
    }
  }
}

/** Returns whether the literal at `index` is the name of a test, or another text. */
const textOr = (source: string, index: number): 'title' | 'text' =>
  /\btest\(\s*$/.test(source.slice(Math.max(0, index - 24), index)) ? 'title' : 'text';

const endOf = (source: string, mark: string, from: number) => {
  const end = source.indexOf(mark, from);
  return end < 0 ? source.length : end;
};

/** Names of code are not prose: a parameter may be called `beside`. */
const withoutCode = (text: string) => text.replace(/`[^`]*`/g, '`…`').trim();

/** Returns whether nothing but white space is before `index` on its line. */
const isFirst = (source: string, index: number) =>
  source.slice(source.lastIndexOf('\n', index - 1) + 1, index).trim() === '';

/** Code, and examples of mistakes between two marks, are not prose. */
const NOT_PROSE = /```[\s\S]*?```|<!-- prose: [\s\S]*?<!-- end -->|`[^`\n]*`/g;

/** Splits a document into paragraphs, rows of tables and items of lists. */
export function piecesOfDocument(source: string): Piece[] {
  const prose = source.replace(NOT_PROSE, (text) => text.replace(/[^\n]/g, ''));
  const pieces: Piece[] = [];
  let begins = true;
  prose.split('\n').forEach((row, index) => {
    const text = row.trim();
    if (begins || /^(?:[-*|#]|\d+\.)/.test(text)) pieces.push({ kind: 'document', text, line: index + 1 });
    else if (text) pieces.at(-1)!.text += ` ${text}`;
    begins = text === '';
  });
  return pieces.filter(({ text }) => text !== '');
}
