import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type PageNeeds, pageHeaders } from '../page-headers.ts';
import type { BuiltFiles } from './built-files.ts';

/** Long enough not to be guessed while a page is open. */
const NONCE_BYTES = 16;
const THEME = /(?:^|;\s*)vauban_theme=(light|dark)(?:;|$)/;
const LANGUAGE = /(?:^|;\s*)vauban_language=([a-z]{2})(?:;|$)/;

/** The documents of the panel: its own pages, a terminal, and the operator panel. */
export type Document = 'index' | 'terminal' | 'operator';

/**
 * React Aria writes a few style sheets, allowed by the nonce. A terminal sets its colours as element styles, which no
 * nonce allows, so it is a separate document that a panel page shows in a frame.
 */
const needsOf = (document: Document, nonce: string): PageNeeds =>
  document === 'terminal' ? { styles: "'unsafe-inline'", framedByOwn: true } : { styles: `'nonce-${nonce}'` };

/** Returns the chosen theme, or undefined if it follows the system. */
export const themeOf = (cookies: string): string | undefined => THEME.exec(cookies)?.[1];

/** Sends a document in its reader's theme and language; undefined if there is no build. */
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

/** Applies the theme and language from cookies, so that a page is never first drawn in another theme. */
function personal(html: string, cookies: string, nonce: string): string {
  const language = LANGUAGE.exec(cookies)?.[1] ?? 'en';
  const theme = themeOf(cookies);
  const root = `<html lang="${language}"${theme ? ` data-theme="${theme}"` : ''}>`;
  return html
    .replace('<html lang="en">', root)
    .replace('property="csp-nonce" content=""', `property="csp-nonce" content="${nonce}"`);
}
