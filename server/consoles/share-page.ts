import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { COMMON_HEADERS, pageHeaders } from '../http/page-headers.ts';
import type { RouteConfig } from '../http/pipeline.ts';

const config: RouteConfig = { open: true };

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** The page's files by URL name. */
const ASSETS: Record<string, { from: string; type: string }> = {
  'share.js': { from: './share-page/share.js', type: JAVASCRIPT },
  'share.css': { from: './share-page/share.css', type: CSS },
  'xterm.mjs': { from: '@xterm/xterm/lib/xterm.mjs', type: JAVASCRIPT },
  'xterm.css': { from: '@xterm/xterm/css/xterm.css', type: CSS },
  'addon-fit.mjs': { from: '@xterm/addon-fit/lib/addon-fit.mjs', type: JAVASCRIPT },
};

/** Reads a file of ours or of a package on first use and keeps it. Failures are not kept. */
function asset(from: string): () => Promise<Buffer> {
  let content: Buffer | undefined;
  return async () => (content ??= await readFile(new URL(import.meta.resolve(from))));
}

/**
 * Registers the page that a share link opens. It is the same for every link, valid or not: only the secret in the
 * URL's fragment, which no browser sends, makes a difference, and only to the WebSocket.
 */
export function registerSharePage(app: FastifyInstance): void {
  const page = asset('./share-page/share.html');
  app.get('/share/:id', { config }, async (_request, reply) => {
    // The terminal sets its colours and sizes as inline styles. No referrer, because the address identifies a share.
    reply.headers(pageHeaders({ styles: "'unsafe-inline'", referrer: 'no-referrer' }));
    reply.header('cache-control', 'no-cache');
    return page();
  });
  for (const [name, { from, type }] of Object.entries(ASSETS)) {
    const content = asset(from);
    app.get(`/share/assets/${name}`, { config }, async (_request, reply) => {
      reply.headers({ ...COMMON_HEADERS, 'content-type': type, 'cache-control': 'no-cache' });
      return content();
    });
  }
}
