import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FOR_GOOD } from '../http/caching.ts';
import { negotiate } from '../http/openapi/published-texts.ts';
import { COMMON_HEADERS } from '../http/page-headers.ts';
import type { RouteConfig } from '../http/pipeline.ts';
import { normalizeIp } from '../platform/cidr.ts';
import { notFound } from '../platform/errors.ts';
import type { Logger } from '../platform/logging.ts';
import { BuiltFiles } from './built-files.ts';
import { type Build, buildOnce } from './first-build.ts';
import { sendDocument } from './pages.ts';

const config: RouteConfig = { open: true };
const PANEL: Build = {
  name: 'control panel',
  directory: fileURLToPath(new URL('../../panel/dist/', import.meta.url)),
  program: fileURLToPath(new URL('../../panel/build.ts', import.meta.url)),
  script: 'panel',
};
/** Where the operator's pages are. */
export interface OperatorPages {
  /** Whether they are there for an address. */
  isNear: (ip: string) => boolean;
}

/** A browser names HTML; a program that asks for the root is answered as for any path that names nothing. */
const wantsPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') === true;
const rootConfig: RouteConfig = { open: wantsPage };
/** What is below /panel/api is no page, and refused as any path of the API that names nothing. */
const pageConfig: RouteConfig = { open: ({ url }) => !/^\/panel\/api(\/|\?|$)/.test(url) };
const operatorConfig: RouteConfig = { open: ({ url }) => !/^\/operator\/api(\/|\?|$)/.test(url) };
/** As Vite names what it makes, by a hash of the content. */
const ASSET_NAME = /^[\w.-]+-[\w-]{8}\.(js|css|svg|woff2)$/;
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/**
 * Serves the control panel under /panel, where / leads a browser: its files with an unlimited lifetime, and for every other path its one page, whose script
 * knows the paths; under /operator the operator's, where they are served. Reads nothing until it is asked.
 */
export function registerPanelSite(
  app: FastifyInstance,
  logger: Logger,
  operatorPages: OperatorPages | undefined,
): void {
  const files = new BuiltFiles(PANEL.directory);
  const built = buildOnce(logger, PANEL);
  app.get('/', { config: rootConfig }, (_request, reply) => reply.redirect('/panel/'));
  app.get('/panel', { config }, (_request, reply) => reply.redirect('/panel/'));
  app.get('/panel/assets/:name', { config }, (request, reply) => sendAsset(request, reply, files));
  app.get('/panel/licenses.md', { config }, (request, reply) =>
    send(request, reply, files, {
      name: 'licenses.md',
      type: 'text/plain; charset=utf-8',
      cache: 'no-cache',
    }),
  );
  const document = async (request: FastifyRequest, reply: FastifyReply) => {
    await built;
    const name = request.url.split('?', 1)[0] === '/panel/terminal' ? 'terminal' : 'index';
    return (await sendDocument(request, reply, files, name)) ?? sendApology(reply);
  };
  app.get('/panel/', { config }, document);
  app.get('/panel/*', { config: pageConfig }, document);
  if (!operatorPages) return;
  const operator = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!operatorPages.isNear(normalizeIp(request.ip))) throw notFound();
    await built;
    return (await sendDocument(request, reply, files, 'operator')) ?? sendApology(reply);
  };
  app.get('/operator', { config }, (_request, reply) => reply.redirect('/operator/'));
  app.get('/operator/', { config }, operator);
  app.get('/operator/*', { config: operatorConfig }, operator);
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, files: BuiltFiles): Promise<Buffer> {
  const { name } = request.params as { name: string };
  const [, ending] = ASSET_NAME.exec(name) ?? [];
  if (!ending) throw notFound();
  return send(request, reply, files, { name: `assets/${name}`, type: TYPES[ending]!, cache: FOR_GOOD });
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  files: BuiltFiles,
  { name, type, cache }: { name: string; type: string; cache: string },
): Promise<Buffer> {
  const file = await files.get(name, negotiate(request.headers['accept-encoding']));
  if (!file) throw notFound();
  reply.headers({
    ...COMMON_HEADERS,
    'content-type': type,
    'cache-control': cache,
    vary: 'accept-encoding',
    ...(file.encoding && { 'content-encoding': file.encoding }),
  });
  return file.content;
}

function sendApology(reply: FastifyReply): string {
  reply.code(503).headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  return 'The control panel is not built. The log of the service says why.\n';
}
