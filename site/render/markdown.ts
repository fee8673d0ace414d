import { Marked, type Tokens } from 'marked';
import { codeBlock } from './code.ts';
import { Html, html } from './html.ts';

/** A heading of a text, with its anchor. */
export interface Heading {
  id: string;
  title: string;
}

/** Markup in a text is shown literally: descriptions contain text such as `Name <b>as given</b>`. */
const marked = new Marked({
  renderer: {
    html: ({ text }) => html`${text}`.text,
    link({ href, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens);
      return /^(https?:|\/|#)/.test(href) ? `${html`<a href="${href}">`.text}${text}</a>` : text;
    },
    code: ({ text, lang }: Tokens.Code) => codeBlock(text, lang).text,
    heading({ tokens, depth, text }: Tokens.Heading) {
      return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    table(token: Tokens.Table) {
      const cells = (row: Tokens.TableCell[], tag: string) =>
        row
          .map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag.split(' ', 1)[0]}>`)
          .join('');
      const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
      // In a narrow window the table scrolls on its own, so it must be reachable with the keyboard.
      return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(token.header, 'th scope="col"')}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
    },
  },
});

/** Renders a text of several paragraphs. */
export function markdown(source: string): Html {
  return new Html(marked.parse(source, { async: false }));
}

/** Renders one line of text, in which `code` is set as code. */
export function inlineMarkdown(text: string): Html {
  return new Html(marked.parseInline(text, { async: false }));
}

/** Returns the `##` headings of a text with their anchors, in order. */
export function headings(source: string): Heading[] {
  return [...source.matchAll(/^## (.+)$/gm)].map(([, title]) => ({ id: slug(title!), title: plain(title!) }));
}

/** Removes the backquotes around code. */
const plain = (text: string) => text.replaceAll('`', '');

function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
