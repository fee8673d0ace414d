import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../platform/errors.ts';
import { isStorable } from '../platform/text.ts';
import type { Endpoint } from './endpoint.ts';
import type { Mount } from './mount.ts';
import type { AnyOperation } from './operation.ts';
import { compileChecks, type InputChecks } from './validation.ts';

/** The operation of a route, and the mount that serves it. */
export interface MountedRoute {
  endpoint: Endpoint;
  mount: Mount;
  checks: InputChecks;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Registers a route for every endpoint of the mounts; its `config` is a {@link MountedRoute}. */
export function registerRoutes(app: FastifyInstance, mounts: readonly Mount[], handler: Handler): void {
  for (const mount of mounts) {
    for (const endpoint of mount.endpoints) {
      const route: MountedRoute = { endpoint, mount, checks: compileChecks(endpoint) };
      const bodyLimit = ('bodyLimit' in endpoint && endpoint.bodyLimit) || mount.bodyLimit;
      app.route({
        method: endpoint.method,
        url: mount.prefix + endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
        exposeHeadRoute: hasHead(endpoint),
        ...(bodyLimit && { bodyLimit }),
        config: route,
        handler,
      });
    }
  }
}

type AnyRoute = Pick<AnyOperation, 'method' | 'path'> & { secret?: true | undefined };

/** A GET that issues a secret has no HEAD, which would issue one that nobody gets. */
const hasHead = ({ method, secret }: AnyRoute) => method === 'GET' && !secret;

interface Route {
  pattern: RegExp;
  literals: number;
  /** Includes HEAD if there is GET, see {@link hasHead}. */
  methods: Set<string>;
}

interface Segment {
  /** As it stands in the path; a variable in braces. */
  text: string;
  /** A variable only: the words that other paths have in its place, which are therefore no values of it. */
  reserved: ReadonlySet<string>;
}

/** The paths of one mount: which words are no ids, and the answers for paths without a route. */
export class RouteTable {
  readonly #routes: Route[];
  readonly #segments: ReadonlyMap<string, Segment[]>;

  /** `prefix` precedes all paths. */
  constructor(endpoints: readonly AnyRoute[], prefix = '') {
    this.#segments = segmentsOf(endpoints.map(({ path }) => path));
    const byPath = Map.groupBy(endpoints, ({ path }) => path);
    this.#routes = [...byPath]
      .map(([path, same]) => ({
        pattern: new RegExp(`^${prefix}/${this.#segments.get(path)!.map(patternOf).join('/')}$`),
        literals: path.split('/').filter((segment) => !isVariable(segment)).length,
        methods: new Set(same.flatMap((route) => (hasHead(route) ? ['GET', 'HEAD'] : [route.method]))),
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

  /**
   * Returns true if the router treated something as an id that is not one: a word that other paths have in its place
   * (DELETE /v1/vm/catalog is not a deletion), an empty segment, or a text that the database cannot even be asked for.
   */
  isMisrouted({ path }: AnyRoute, params: Record<string, string>): boolean {
    return this.#segments.get(path)!.some(({ text, reserved }) => {
      if (!isVariable(text)) return false;
      const value = params[text.slice(1, -1)]!;
      return value === '' || reserved.has(value) || !isStorable(value);
    });
  }
}

const isVariable = (segment: string) => segment.startsWith('{');

/** Returns the segments of each path. Words are reserved only against paths that agree in everything before. */
function segmentsOf(paths: readonly string[]): Map<string, Segment[]> {
  const words = new Map<string, Set<string>>();
  const wordsAfter = (segments: string[]) => {
    const before = segments.map((segment) => (isVariable(segment) ? '{}' : segment)).join('/');
    const found = words.get(before) ?? new Set();
    words.set(before, found);
    return found;
  };
  const split = (path: string) => path.split('/').slice(1);
  for (const segments of paths.map(split)) {
    for (const [index, text] of segments.entries())
      if (!isVariable(text)) wordsAfter(segments.slice(0, index)).add(text);
  }
  const described = (segments: string[]) =>
    segments.map((text, index) => ({ text, reserved: wordsAfter(segments.slice(0, index)) }));
  return new Map(paths.map((path) => [path, described(split(path))]));
}

function patternOf({ text, reserved }: Segment): string {
  if (!isVariable(text)) return escaped(text);
  const words = [...reserved].map(escaped);
  return words.length === 0 ? '[^/]+' : `(?!(?:${words.join('|')})(?:/|$))[^/]+`;
}

const escaped = (word: string) => word.replaceAll('.', '\\.');
