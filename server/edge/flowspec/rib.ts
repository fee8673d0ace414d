import { addressMatcher } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import { EdgeUnavailableError } from '../driver.ts';
import type { Gobgp, RouteEvent } from './gobgp.ts';
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
  /** Nothing outside these networks is announced. */
  prefixes: readonly string[];
  blackholeCommunity: string;
  clock: Clock;
}

/** GoBGP reports changes within milliseconds. If it has not reported one after this time, it does not have it. */
const TOLD_WITHIN_MS = 10_000;

interface Entry {
  route: Route;
  ip: string;
}

/** Changes that GoBGP has yet to report: true for a route that will be present, false for one that will be gone. */
interface Expected {
  left: Map<string, boolean>;
  settled: PromiseWithResolvers<void>;
}

/**
 * The routes that this host announces: rules for addresses in the permitted networks, and blackholes of such
 * addresses. All of these belong to the edge; all other routes are ignored. They are read once; from then on GoBGP
 * reports changes.
 */
export class Rib {
  readonly #gobgp: Gobgp;
  readonly #options: RibOptions;
  readonly #mayAnnounce: (ip: string) => boolean;
  #entries: Map<string, Entry> | undefined;
  /** True while GoBGP reports every change. */
  #isTold = false;
  #expected: Expected | undefined;

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
    this.#entries = new Map();
    for (const route of found) if (this.#isOwn(route)) this.#keep(this.#entries, route);
  }

  /** Reads the routes unless they are known. */
  async known(): Promise<void> {
    if (!this.#entries) await this.read();
  }

  /** Forgets the routes, because they may have changed. */
  forget(): void {
    this.#entries = undefined;
  }

  /** Called when GoBGP starts reporting every change, until {@link deaf}. */
  told(): void {
    this.#isTold = true;
  }

  /** Called when GoBGP no longer reports changes. */
  deaf(): void {
    this.#isTold = false;
    this.#expected?.settled.reject(new EdgeUnavailableError('GoBGP is gone'));
    this.forget();
  }

  /**
   * Handles a reported change. Returns false if it concerns one of the edge's own routes but was not made by the
   * edge.
   */
  notice({ family, nlri, isHere }: RouteEvent): boolean {
    const ip = nlri && destinationOf({ family, nlri });
    if (!nlri || ip === undefined || !this.#mayAnnounce(ip)) return true;
    const key = keyOf({ family, nlri });
    const expected = this.#expected;
    if (expected?.left.get(key) === isHere) {
      expected.left.delete(key);
      if (expected.left.size === 0) expected.settled.resolve();
      return true;
    }
    // A route to an address may be the operator's own.
    return !isFlowspec(family) && !this.#entries?.has(key);
  }

  isBlackholed(ip: string): boolean {
    return this.#has(blackholeRoute(ip, this.#options.blackholeCommunity));
  }

  /** Returns announced routes that are not among these; only those for the given addresses, if any are given. */
  except(wanted: Route[], ips?: string[]): Route[] {
    const keys = new Set(wanted.map(keyOf));
    return [...(this.#entries ?? [])].flatMap(([key, { route, ip }]) =>
      (!ips || ips.includes(ip)) && !keys.has(key) ? [route] : [],
    );
  }

  /** Returns true if exactly these routes are announced. */
  isExactly(wanted: Route[]): boolean {
    return (
      this.#entries?.size === new Set(wanted.map(keyOf)).size && wanted.every((route) => this.#has(route))
    );
  }

  /** Returns the number of announced routes of each family that has any. */
  counts(): { family: RouteFamily; routes: number }[] {
    const families = new Map<string, { family: RouteFamily; routes: number }>();
    for (const { route } of this.#entries?.values() ?? []) {
      const name = `${route.family.afi}/${route.family.safi}`;
      const count = families.get(name) ?? { family: route.family, routes: 0 };
      count.routes++;
      families.set(name, count);
    }
    return [...families.values()];
  }

  /**
   * Announces missing routes and withdraws unwanted ones. Resolves once GoBGP has reported all changes or, if it does
   * not report changes, once all routes were read back. Throws if the result is not as expected.
   */
  async apply(wanted: Route[], unwanted: Route[]): Promise<void> {
    const missing = wanted.filter((route) => !this.#has(route));
    for (const route of missing) {
      // The last safeguard: nothing else in the service checks what this host announces.
      if (!this.#isOwn(route)) throw new EdgeUnavailableError('a route does not belong to the edge');
    }
    if (missing.length + unwanted.length === 0) return;
    if (this.#isTold) await this.#applyTold(missing, unwanted);
    else await this.#applyAndRead(missing, unwanted);
    const left = new Set(unwanted.map(keyOf));
    const isApplied =
      missing.every((route) => this.#has(route)) && ![...left].some((key) => this.#entries?.has(key));
    if (!isApplied) throw new EdgeUnavailableError('GoBGP does not have the routes that it was given');
  }

  async #applyAndRead(missing: Route[], unwanted: Route[]): Promise<void> {
    this.forget();
    await this.#gobgp.apply(missing, unwanted);
    await this.read();
  }

  async #applyTold(missing: Route[], unwanted: Route[]): Promise<void> {
    const entries = new Map(this.#entries);
    for (const route of unwanted) entries.delete(keyOf(route));
    for (const route of missing) this.#keep(entries, route);
    const left = new Map([
      ...unwanted.map((route) => [keyOf(route), false] as const),
      ...missing.map((route) => [keyOf(route), true] as const),
    ]);
    const settled = Promise.withResolvers<void>();
    this.#expected = { left, settled };
    const isDone = new AbortController();
    this.#options.clock.sleep(TOLD_WITHIN_MS, isDone.signal).then(
      () => settled.reject(new EdgeUnavailableError('GoBGP does not have the routes that it was given')),
      () => {},
    );
    try {
      await Promise.all([this.#gobgp.apply(missing, unwanted), settled.promise]);
      if (this.#isTold) this.#entries = entries;
    } catch (error) {
      this.forget();
      throw error;
    } finally {
      isDone.abort();
      this.#expected = undefined;
    }
  }

  #keep(entries: Map<string, Entry>, route: Route): void {
    entries.set(keyOf(route), { route, ip: destinationOf(route)! });
  }

  #has(route: Route): boolean {
    const found = this.#entries?.get(keyOf(route));
    return found !== undefined && asked(found.route) === asked(route);
  }

  #isOwn(route: Route): boolean {
    const ip = destinationOf(route);
    if (ip === undefined || !this.#mayAnnounce(ip)) return false;
    if (isFlowspec(route.family)) return true;
    return asked(route) === asked(blackholeRoute(ip, this.#options.blackholeCommunity));
  }
}
