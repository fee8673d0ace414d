import { ApiError, notFound } from '../platform/errors.ts';
import { isStorable } from '../platform/text.ts';
import type { AnyOperation } from './operation.ts';

type AnyRoute = Pick<AnyOperation, 'method' | 'path'>;

/** Fixed resources under /v1/vm: never VM ids, whatever the method. */
const RESERVED = ['catalog', 'prices', 'custom-quote', 'ops-key', 'sshkeys'];
const VM = '/v1/vm/{id}';
const VM_ID = `(?!(?:${RESERVED.join('|')})(?:/|$))[^/]+`;

interface Route {
  pattern: RegExp;
  literals: number;
  /** Includes HEAD if there is GET. */
  methods: Set<string>;
}

/** Answers for paths without a route: 405 with `Allow` if other methods exist, otherwise 404. */
export class RouteTable {
  readonly #routes: Route[];

  /** `prefix` precedes all paths. */
  constructor(endpoints: readonly AnyRoute[], prefix = '') {
    const byPath = Map.groupBy(endpoints, (endpoint) => prefix + endpoint.path);
    this.#routes = [...byPath]
      .map(([path, same]) => ({
        pattern: toPattern(path),
        literals: path.split('/').filter((part) => !part.startsWith('{')).length,
        methods: new Set(same.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
      }))
      .sort((a, b) => b.literals - a.literals);
  }

  /** Returns the refusal for a request without a handler. `allow` is the value of the Allow header, if any. */
  refusal(method: string, path: string): { error: ApiError; allow?: string } {
    const route = this.#routes.find(({ pattern }) => pattern.test(path));
    if (!route || route.methods.has(method)) return { error: notFound() };
    const allow = [...route.methods].sort().join(', ');
    return {
      error: new ApiError('method_not_allowed', `${method} is not allowed here; allowed: ${allow}.`),
      allow,
    };
  }
}

function toPattern(path: string): RegExp {
  const literal = path.replace(/[.]/g, '\\.').replace(VM, `/v1/vm/${VM_ID}`);
  return new RegExp(`^${literal.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/**
 * Returns true if the router treated something as an id that is not one: a fixed resource (DELETE /v1/vm/catalog is
 * not a deletion), an empty segment, or a text that the database cannot even be asked for.
 */
export function isMisrouted(endpoint: AnyRoute, params: Record<string, string>): boolean {
  if (endpoint.path.startsWith(VM) && RESERVED.includes(params.id!)) return true;
  return Object.values(params).some((value) => value === '' || !isStorable(value));
}
