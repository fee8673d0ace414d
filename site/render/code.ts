import { type Html, html } from './html.ts';

/** Tokens that are coloured in each language: strings, comments and the prompt, field names, other values. */
const PATTERNS: Record<string, RegExp> = {
  json: /("(?:\\.|[^"\\])*"(?:\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.e+-]*)/,
  sh: /("(?:\\.|[^"\\])*"|'[^']*'|(?:^|(?<=\s))#.*$)/m,
  console: /(^\$ )/m,
  ts: /('(?:\\.|[^'\\\n])*'|`[^`]*`|\/\/.*$|\b(?:import|from|const|await|for|of|if|try|catch|throw|new|async|return|process|type)\b)/m,
};

/** Renders a block of code in a language. In a console, input and output look different. */
export function codeBlock(text: string, language = ''): Html {
  const pattern = PATTERNS[language];
  const parts = pattern ? text.split(pattern) : [text];
  // A block wider than its box must be scrollable with the keyboard.
  return html`<pre tabindex="0" data-language="${language || 'text'}"><code>${parts.map((part, index) => (index % 2 === 1 ? mark(part) : part))}</code></pre>
`;
}

function mark(token: string): Html {
  if (token.endsWith(':')) return html`<span class="name">${token.slice(0, -1)}</span>:`;
  if (token === '$ ') return html`<span class="prompt">$ </span>`;
  if (/^(\/\/|#)/.test(token)) return html`<span class="comment">${token}</span>`;
  return html`<span class="${/^["'`]/.test(token) ? 'string' : 'value'}">${token}</span>`;
}

/** A JSON value, indented. */
export function jsonBlock(value: unknown): Html {
  return codeBlock(JSON.stringify(value, null, 2), 'json');
}
