import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../../platform/metrics.ts';
import type { RouteConfig } from '../pipeline.ts';
import type { Readiness } from './readiness.ts';

const config: RouteConfig = { open: true, unlimited: true };

/**
 * Registers `/healthz` (the process is up) and `/readyz` (it should receive requests, otherwise 503 with the reason).
 * Neither needs a key or counts against a limit. `/readyz?verbose` adds the version and the state of every part for
 * callers that `mayKnow` accepts; others get the plain answer.
 */
export function registerHealth(
  app: FastifyInstance,
  readiness: Readiness,
  mayKnow: (request: FastifyRequest) => boolean,
): void {
  app.get('/healthz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });
  app.get('/readyz', { config }, async (request, reply) => {
    const isDetailed = 'verbose' in (request.query as object) && mayKnow(request);
    const report = await (isDetailed ? readiness.detailedReport() : readiness.report());
    reply.code(report.status === 'ready' ? 200 : 503).header('cache-control', 'no-store');
    return report;
  });
}

/** Registers `/metrics` in Prometheus' text format, for the operator only. */
export function registerMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.contentType);
    return metrics.text();
  });
}
