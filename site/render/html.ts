/** Markup that is safe to insert into a page. Made only by `html`, which escapes everything it is given. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template: text is escaped, markup is kept, lists are joined, `false` and `undefined` are left out. */
export type Part = Html | string | number | false | undefined | readonly Part[];

/** Builds markup from a template and escapes its values: html`<p>${text}</p>`. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + toText(parts[index - 1]) + string));
}

function toText(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === undefined || part === false) return '';
  if (typeof part === 'object') return part.map(toText).join('');
  return escapeText(String(part));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Joins the parts with something in between, such as a comma. */
export function join(parts: readonly Part[], between: Part): Part[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]));
}

/** Renders a path or a code, which may be broken after each slash and underscore. */
export function breakable(text: string): Html[] {
  return text.split(/(?<=[/_])/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
}
