import { addressMatcher } from '../../platform/cidr.ts';
import { EdgeUnavailableError } from '../driver.ts';
import type { Gobgp } from './gobgp.ts';
import {
  asked,
  blackholeRoute,
  destinationOf,
  flowspecFamily,
  isFlowspec,
  keyOf,
  type Route,
  type RouteFamily,
  unicastFamily,
} from './route.ts';

export interface RibOptions {
  /** Nothing outside of these is announced. */
  prefixes: readonly string[];
  blackholeCommunity: string;
}

/**
 * What this host announces, as it was last read: rules for addresses in the networks that may be announced, and
 * blackholes of such addresses. All of those are the edge's own; every other route is none of its business.
 */
export class Rib {
  readonly #gobgp: Gobgp;
  readonly #options: RibOptions;
  readonly #mayAnnounce: (ip: string) => boolean;
  #routes: Map<string, Route> | undefined;

  constructor(gobgp: Gobgp, options: RibOptions) {
    this.#gobgp = gobgp;
    this.#options = options;
    this.#mayAnnounce = addressMatcher(options.prefixes);
  }

  async read(): Promise<void> {
    const found: Route[] = [];
    for (const family of [4, 6] as const) {
      found.push(...(await this.#gobgp.routes(flowspecFamily(family))));
      const within = this.#options.prefixes.filter((one) => one.includes(':') === (family === 6));
      if (within.length > 0) found.push(...(await this.#gobgp.routes(unicastFamily(family), within)));
    }
    const own = found.filter((route) => this.#isOwn(route));
    this.#routes = new Map(own.map((route) => [keyOf(route), route]));
  }

  /** Reads it unless it is known. */
  async known(): Promise<void> {
    if (!this.#routes) await this.read();
  }

  /** It may be another now. */
  forget(): void {
    this.#routes = undefined;
  }

  isBlackholed(ip: string): boolean {
    return this.#has(blackholeRoute(ip, this.#options.blackholeCommunity));
  }

  /** Routes that are announced and not among these; only those for the given addresses, where there are any given. */
  except(wanted: Route[], ips?: string[]): Route[] {
    const keys = new Set(wanted.map(keyOf));
    return this.#all().filter(
      (route) => !keys.has(keyOf(route)) && (!ips || ips.includes(destinationOf(route)!)),
    );
  }

  isExactly(wanted: Route[]): boolean {
    return wanted.every((route) => this.#has(route)) && this.except(wanted).length === 0;
  }

  /** How many routes of each family are announced, where there are any. */
  counts(): { family: RouteFamily; routes: number }[] {
    const families = Map.groupBy(this.#all(), ({ family: { afi, safi } }) => `${afi}/${safi}`);
    return [...families.values()].map((routes) => ({ family: routes[0]!.family, routes: routes.length }));
  }

  /** Announces what is missing, withdraws the others, and reads all of it back: throws where it is not as it should be. */
  async apply(wanted: Route[], unwanted: Route[]): Promise<void> {
    const missing = wanted.filter((route) => !this.#has(route));
    for (const route of missing) {
      // The last line: nothing else of the service decides what this host announces.
      if (!this.#isOwn(route)) throw new EdgeUnavailableError('a route would be none of the edge');
    }
    if (missing.length + unwanted.length === 0) return;
    this.forget();
    await this.#gobgp.apply(missing, unwanted);
    await this.read();
    const left = new Set(unwanted.map(keyOf));
    const isApplied =
      wanted.every((route) => this.#has(route)) && !this.#all().some((route) => left.has(keyOf(route)));
    if (!isApplied) throw new EdgeUnavailableError('GoBGP does not have what it was given');
  }

  #all(): Route[] {
    return [...(this.#routes?.values() ?? [])];
  }

  #has(route: Route): boolean {
    const found = this.#routes?.get(keyOf(route));
    return found !== undefined && asked(found) === asked(route);
  }

  #isOwn(route: Route): boolean {
    const ip = destinationOf(route);
    if (ip === undefined || !this.#mayAnnounce(ip)) return false;
    if (isFlowspec(route.family)) return true;
    return asked(route) === asked(blackholeRoute(ip, this.#options.blackholeCommunity));
  }
}
