import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { normalizeIp } from '../../platform/cidr.ts';
import { notFound } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logging.ts';
import { FOR_GOOD } from '../caching.ts';
import { negotiate } from '../openapi/published-texts.ts';
import { COMMON_HEADERS } from '../page-headers.ts';
import type { RouteConfig } from '../pipeline.ts';
import { BuiltFiles } from './built-files.ts';
import { type Build, buildOnce } from './first-build.ts';
import { sendDocument } from './pages.ts';

const config: RouteConfig = { open: true };
const PANEL: Build = {
  name: 'control panel',
  directory: fileURLToPath(new URL('../../../panel/dist/', import.meta.url)),
  program: fileURLToPath(new URL('../../../panel/build.ts', import.meta.url)),
  script: 'panel',
};
export interface OperatorPages {
  /** Returns whether an address may see them. */
  isNear: (ip: string) => boolean;
}

/** A browser asks for HTML; a program that requests the root is answered as for any unknown path. */
const wantsPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') === true;
const rootConfig: RouteConfig = { open: wantsPage };
/** Paths below /panel/api are not pages; they are refused like any unknown path of the API. */
const pageConfig: RouteConfig = { open: ({ url }) => !/^\/panel\/api(\/|\?|$)/.test(url) };
const operatorConfig: RouteConfig = { open: ({ url }) => !/^\/operator\/api(\/|\?|$)/.test(url) };
/** Vite's naming of its output, with a hash of the content. */
const ASSET_NAME = /^[\w.-]+-[\w-]{8}\.(js|css|svg|woff2)$/;
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/**
 * Serves the control panel under /panel, and redirects browsers there from /. Its files can be cached forever; every
 * other path returns its single page, whose script does the routing. Serves the operator panel under /operator if it is
 * enabled. Reads nothing until the first request.
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
