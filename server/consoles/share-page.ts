import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { RouteConfig } from '../http/pipeline.ts';

const config: RouteConfig = { open: true };

/**
 * Nothing but our own files, and no script in the page. The terminal writes its colours and sizes as styles
 * of elements, hence the one exception.
 */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** The page's files by the name they are served under. */
const ASSETS: Record<string, { from: string; type: string }> = {
  'share.js': { from: './share-page/share.js', type: JAVASCRIPT },
  'share.css': { from: './share-page/share.css', type: CSS },
  'xterm.mjs': { from: '@xterm/xterm/lib/xterm.mjs', type: JAVASCRIPT },
  'xterm.css': { from: '@xterm/xterm/css/xterm.css', type: CSS },
  'addon-fit.mjs': { from: '@xterm/addon-fit/lib/addon-fit.mjs', type: JAVASCRIPT },
};

/** Reads a file of ours or of a package when it is first asked for, and keeps it; a failure is not kept. */
function asset(from: string): () => Promise<Buffer> {
  let content: Buffer | undefined;
  return async () => (content ??= await readFile(new URL(import.meta.resolve(from))));
}

/**
 * The page that a share link opens. It is the same for every link, good or not: only the secret in the URL's
 * fragment, which no browser sends, makes a difference, and only to the WebSocket.
 */
export function registerSharePage(app: FastifyInstance): void {
  const page = asset('./share-page/share.html');
  const headers = {
    'content-security-policy': CSP,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  };
  app.get('/share/:id', { config }, async (_request, reply) => {
    reply.headers({ ...headers, 'content-type': 'text/html; charset=utf-8' });
    return page();
  });
  for (const [name, { from, type }] of Object.entries(ASSETS)) {
    const content = asset(from);
    app.get(`/share/assets/${name}`, { config }, async (_request, reply) => {
      reply.headers({ ...headers, 'content-type': type });
      return content();
    });
  }
}
