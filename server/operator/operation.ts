import type { FastifyInstance } from 'fastify';
import type { Result } from '../endpoints/endpoint.ts';
import { compileChecks } from '../http/validation.ts';
import type { Static, TObject } from '../platform/schema.ts';
import type { Services } from '../services.ts';

/** What the operator's operations need of the service. */
export type OperatorServices = Pick<
  Services,
  'catalog' | 'clock' | 'compute' | 'config' | 'db' | 'edge' | 'logger' | 'metrics' | 'shield' | 'signals'
>;

type Input<S> = S extends TObject ? Static<S> : Record<string, never>;

/** One operation of the operator's API. There is no key: whoever may open the socket may do everything. */
export interface OperatorOperation<Q extends TObject | undefined, B extends TObject | undefined> {
  method: 'GET' | 'POST';
  /** With `:name` parameters. */
  path: string;
  /** Query parameters; absent means none. */
  query?: Q;
  /** Input fields; absent means that the body is none or `{}`. */
  body?: B;
  handle(input: { id: string; query: Input<Q>; body: Input<B>; services: OperatorServices }): Promise<Result>;
}

/** Adds an operation to the operator's server. `id` is the path's only parameter, "" where it has none. */
export function register<
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
>(
  app: FastifyInstance,
  services: OperatorServices,
  { method, path, query, body, handle }: OperatorOperation<Q, B>,
): void {
  const checks = compileChecks({ query, body });
  app.route<{ Params: { id?: string } }>({
    method,
    url: path,
    async handler(request, reply) {
      const given = (request.body ?? {}) as Input<B>;
      checks.query(request.query);
      checks.body(given);
      reply.header('cache-control', 'no-store');
      return handle({ id: request.params.id ?? '', query: request.query as Input<Q>, body: given, services });
    },
  });
}
