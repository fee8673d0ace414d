import { type Html, html } from './html.ts';

/**
 * The little Markdown that the API description uses: paragraphs, `##` headings, `-` lists and `code`, with a
 * blank line between any two. A heading's `id` is that of `headings`.
 */
export function markdown(source: string): Html[] {
  return source.split(/\n{2,}/).map((block) => {
    if (block.startsWith('## ')) return html`<h2 id="${slug(block.slice(3))}">${block.slice(3)}</h2>`;
    if (block.startsWith('- ')) {
      const items = block
        .split('\n')
        .map((line) => html`<li>${inlineMarkdown(line.replace(/^- /, ''))}</li>`);
      return html`<ul>${items}</ul>`;
    }
    return html`<p>${inlineMarkdown(block)}</p>`;
  });
}

/** The `##` headings of a text with their anchors, in order. */
export function headings(source: string): { id: string; title: string }[] {
  return [...source.matchAll(/^## (.+)$/gm)].map(([, title]) => ({ id: slug(title!), title: title! }));
}

/** A line of text, with `code` set as such. */
export function inlineMarkdown(text: string): Html[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function slug(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
