import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type PageNeeds, pageHeaders } from '../http/page-headers.ts';
import type { BuiltFiles } from './built-files.ts';

/** Long enough not to be guessed within the life of a page. */
const NONCE_BYTES = 16;
const THEME = /(?:^|;\s*)vauban_theme=(light|dark)(?:;|$)/;
const LANGUAGE = /(?:^|;\s*)vauban_language=([a-z]{2})(?:;|$)/;

/** The documents of the panel: its pages, a terminal, the operator's pages. */
export type Document = 'index' | 'terminal' | 'operator';

/**
 * React Aria writes a few style sheets, by the nonce. A terminal writes its colours as styles of elements, which no nonce
 * allows: hence a document of its own, which a page of the panel shows in a frame.
 */
const needsOf = (document: Document, nonce: string): PageNeeds =>
  document === 'terminal' ? { styles: "'unsafe-inline'", framedByOwn: true } : { styles: `'nonce-${nonce}'` };

/** The theme that was chosen, or undefined where it is the system's. */
export const themeOf = (cookies: string): string | undefined => THEME.exec(cookies)?.[1];

/** Sends a document, in the theme and the language that its reader chose, or undefined where there is no build. */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  files: BuiltFiles,
  document: Document,
): Promise<string | undefined> {
  const template = await files.fresh(`${document}.html`);
  if (!template) return undefined;
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  reply.headers({
    ...pageHeaders(needsOf(document, nonce)),
    // The names of its scripts change with every build.
    'cache-control': 'no-store',
  });
  return personal(template.content.toString(), request.headers.cookie ?? '', nonce);
}

/** Chosen by cookies that only say this, so that a page is never first drawn in another theme. */
function personal(html: string, cookies: string, nonce: string): string {
  const language = LANGUAGE.exec(cookies)?.[1] ?? 'en';
  const theme = themeOf(cookies);
  const root = `<html lang="${language}"${theme ? ` data-theme="${theme}"` : ''}>`;
  return html
    .replace('<html lang="en">', root)
    .replace('property="csp-nonce" content=""', `property="csp-nonce" content="${nonce}"`);
}
