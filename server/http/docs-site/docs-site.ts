import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../config/brand.ts';
import { notFound } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logging.ts';
import { FOR_GOOD, isCurrent } from '../caching.ts';
import { negotiate } from '../openapi/published-texts.ts';
import { COMMON_HEADERS, pageHeaders } from '../page-headers.ts';
import { BuiltFiles } from '../panel-site/built-files.ts';
import { type Build, buildOnce } from '../panel-site/first-build.ts';
import { themeOf } from '../panel-site/pages.ts';
import type { RouteConfig } from '../pipeline.ts';
import { ownStyle } from './own-style.ts';

const config: RouteConfig = { open: true };
const SITE: Build = {
  name: 'documentation',
  directory: fileURLToPath(new URL('../../../site/dist/', import.meta.url)),
  program: fileURLToPath(new URL('../../../site/build.ts', import.meta.url)),
  script: 'docs',
};
/** Pages below /docs/: guides and the reference. No other file of the directory is served. */
const PAGE = /^(guides|reference)\/[\w-]+$/;
const ASSET = /^[\w.-]+-[\w-]{8}\.(js|css|json|svg|woff2)$/;
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Serves the output of `site/`: its pages under /docs, texts for language models, and a Postman collection. */
export function registerDocsSite(
  app: FastifyInstance,
  { logger, brand }: { logger: Logger; brand: Brand },
): void {
  const files = new BuiltFiles(SITE.directory);
  const built = buildOnce(logger, SITE);
  const fixed = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    await built;
    return sendFixed(request, reply, files, name);
  };
  app.get('/docs', { config }, (_request, reply) => reply.redirect('/docs/'));
  app.get('/docs/', { config }, (request, reply) => fixed(request, reply, 'index.html'));
  app.get('/docs/*', { config }, (request, reply) => {
    const { '*': name } = request.params as { '*': string };
    if (!PAGE.test(name)) throw notFound();
    return fixed(request, reply, `${name}.html`);
  });
  for (const name of ['llms.txt', 'llms-full.txt'])
    app.get(`/${name}`, { config }, (request, reply) => fixed(request, reply, name));
  const collection = 'vauban.postman_collection.json';
  app.get(`/docs/${collection}`, { config }, (request, reply) => fixed(request, reply, collection));
  app.get('/docs/own.css', { config }, (request, reply) => {
    setHeaders(reply, 'own.css', undefined);
    reply.headers({ vary: 'cookie', 'cache-control': 'private, no-cache' });
    return ownStyle(brand, themeOf(request.headers.cookie ?? ''));
  });
  app.get('/docs/assets/:name', { config }, async (request, reply) => {
    const { name } = request.params as { name: string };
    if (!ASSET.test(name)) throw notFound();
    const file = await files.get(`assets/${name}`, negotiate(request.headers['accept-encoding']));
    if (!file) throw notFound();
    setHeaders(reply, name, file.encoding);
    reply.header('cache-control', FOR_GOOD);
    return file.content;
  });
}

/**
 * Sends a file whose name stays the same when its content changes: read each time, and not sent again to a client that
 * has it.
 */
async function sendFixed(
  request: FastifyRequest,
  reply: FastifyReply,
  files: BuiltFiles,
  name: string,
): Promise<Buffer | undefined> {
  const file = await files.fresh(name, negotiate(request.headers['accept-encoding']));
  if (!file) throw notFound();
  const etag = `"${createHash('sha256').update(file.content).digest('base64url')}"`;
  setHeaders(reply, name, file.encoding);
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (!isCurrent(request.headers, etag)) return file.content;
  reply.code(304).removeHeader('content-encoding').send();
  return undefined;
}

function setHeaders(reply: FastifyReply, name: string, encoding: string | undefined): void {
  const ending = name.slice(name.lastIndexOf('.') + 1);
  reply.headers({
    ...(ending === 'html' ? pageHeaders() : { ...COMMON_HEADERS, 'content-type': TYPES[ending]! }),
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  });
}
