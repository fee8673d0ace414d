import { addressMatcher, canonicalIp } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import { Reconciler } from '../../platform/reconciler.ts';
import { SerialQueue } from '../../platform/serial-queue.ts';
import { InvalidArgumentError } from '../../platform/strict-shapes.ts';
import {
  type EdgeCapabilities,
  type EdgeDriver,
  type EdgeReading,
  type EdgeReceipt,
  type EdgeRefusal,
  type EdgeReport,
  type EdgeTarget,
  EdgeUnavailableError,
} from '../driver.ts';
import { Gobgp, type Neighbour } from './gobgp.ts';
import { planOf } from './plan.ts';
import { Rib } from './rib.ts';
import { blackholeRoute, isFlowspec, keyOf, type Route } from './route.ts';

export interface FlowspecOptions {
  /** Address of GoBGP's API, in gRPC's notation. */
  gobgp: string;
  /** Nothing outside these networks is ever announced. */
  prefixes: readonly string[];
  /** The maximum number of rules announced at a time; routers hold few. */
  maxAnnouncements: number;
  /** The community that asks routers to drop everything to an address: `65535:666`. */
  blackholeCommunity: string;
  clock: Clock;
}

/** Interval at which changes made by others are noticed if GoBGP did not report them. */
const VERIFY_EVERY_MS = 60_000;
/** Delay between attempts to reach a GoBGP that is down. */
const RETRY_MS = 250;
/** More than the service allows for a target. */
const MAX_RULES_PER_TARGET = 1_000;

/** The wanted announcements for a target. */
interface Held {
  ip: string;
  routes: Route[];
  blackholed: boolean;
}

/**
 * Routers controlled through BGP FlowSpec. GoBGP on this host announces the rules, and any router that it has a
 * session with enforces them. A rule is announced exactly or not at all (see {@link planOf}). This edge counts
 * nothing.
 */
export class FlowspecEdge implements EdgeDriver {
  readonly name = 'flowspec';
  readonly #options: FlowspecOptions;
  readonly #gobgp: Gobgp;
  readonly #rib: Rib;
  readonly #mayAnnounce: (ip: string) => boolean;
  readonly #held = new Map<string, Held>();
  #listener: () => void = () => {};
  #watching = false;
  /** True if the latest change did not reach a router for every rule. */
  #failed = false;
  #verifiedAt = 0;
  #isClosed = false;
  readonly #verifying = new Reconciler({
    run: (_, look) => this.#verify(look),
    onFailure: () => this.#lose(),
  });
  /** Reports that everything may be gone, once GoBGP is back. */
  readonly #returning: Reconciler;
  /** Makes sure that each reading shows a single state and each change is based on one. */
  readonly #queue = new SerialQueue();

  constructor(options: FlowspecOptions) {
    this.#options = options;
    this.#gobgp = new Gobgp(options.gobgp);
    this.#mayAnnounce = addressMatcher(options.prefixes);
    const prefixes = options.prefixes.map((one) =>
      one.includes('/') ? one : `${one}/${one.includes(':') ? 128 : 32}`,
    );
    const { blackholeCommunity, clock } = options;
    this.#rib = new Rib(this.#gobgp, { prefixes, blackholeCommunity, clock });
    this.#returning = new Reconciler({
      run: async (signal) => {
        await this.#gobgp.asn();
        if (signal.aborted) return;
        this.#watch();
        this.#listener();
      },
      pauses: { clock, retry: { firstMs: RETRY_MS, longestMs: RETRY_MS } },
    });
  }

  async probe(): Promise<EdgeReport> {
    try {
      const asn = await this.#gobgp.asn();
      if (asn === 0) return { ok: false, summary: 'GoBGP has no autonomous system yet: global.config' };
      const routers = (await this.#gobgp.neighbours()).filter(({ sent }) =>
        sent.some(({ family }) => isFlowspec(family)),
      );
      if (routers.length === 0) {
        return { ok: false, summary: 'GoBGP has no neighbour with ipv4-flowspec or ipv6-flowspec' };
      }
      const states = routers.map(
        ({ address, established }) => `${address} ${established ? 'connected' : 'away'}`,
      );
      return { ok: true, summary: `GoBGP of AS ${asn}, without counters; routers: ${states.join(', ')}` };
    } catch (error) {
      return { ok: false, summary: (error as Error).message };
    }
  }

  /** Throws if GoBGP does not answer. */
  async reachable(): Promise<void> {
    await this.#gobgp.asn();
  }

  capabilities(): EdgeCapabilities {
    return {
      rateUnits: ['bps'],
      ordering: 'specificity',
      limitsSources: false,
      counts: false,
      maxRulesPerTarget: MAX_RULES_PER_TARGET,
      prefixes: this.#options.prefixes,
      refusals: (target) => this.#planned(target, this.#countOthers(target.id)).refused,
    };
  }

  mayAnnounce(ip: string): boolean {
    return this.#mayAnnounce(ip);
  }

  onAltered(listener: () => void): void {
    this.#listener = listener;
  }

  async reconcile(targets: EdgeTarget[]): Promise<EdgeReceipt> {
    for (const [index, { ip }] of targets.entries()) this.#check(ip, `targets.${index}`);
    return this.#queue.run(async () => {
      await this.#rib.read();
      const before = new Map(this.#held);
      this.#held.clear();
      const refused: EdgeRefusal[] = [];
      for (const target of targets) {
        const plan = this.#planned(target, this.#count());
        refused.push(...plan.refused);
        const ip = canonicalIp(target.ip);
        const wasBlackholed = before.get(target.id)?.ip === ip && before.get(target.id)!.blackholed;
        const blackholed = wasBlackholed || this.#rib.isBlackholed(ip);
        this.#held.set(target.id, { ip, routes: plan.routes, blackholed });
      }
      const wanted = this.#wanted();
      await this.#bring(wanted, this.#rib.except(wanted));
      this.#verifiedAt = this.#now();
      return receiptOf(targets, refused);
    });
  }

  async putTarget(target: EdgeTarget): Promise<EdgeReceipt> {
    this.#check(target.ip, 'target');
    return this.#queue.run(async () => {
      await this.#rib.known();
      const { id } = target;
      const ip = canonicalIp(target.ip);
      const before = this.#held.get(id);
      const { routes, refused } = this.#planned(target, this.#countOthers(id));
      this.#held.set(id, { ip, routes, blackholed: before?.ip === ip && before.blackholed });
      await this.#renew([ip, before?.ip ?? ip]);
      return receiptOf([target], refused);
    });
  }

  async removeTarget(id: string): Promise<void> {
    await this.#queue.run(async () => {
      const before = this.#held.get(id);
      if (!before) return;
      await this.#rib.known();
      this.#held.delete(id);
      await this.#renew([before.ip]);
    });
  }

  async blackhole(id: string, on: boolean): Promise<void> {
    await this.#queue.run(async () => {
      const held = this.#held.get(id);
      if (!held || (held.blackholed === on && !this.#failed)) return;
      await this.#rib.known();
      held.blackholed = on;
      await this.#renew([held.ip]);
    });
  }

  readTotals(): Promise<EdgeReading<never>> {
    if (this.#held.size > 0 && this.#now() - this.#verifiedAt >= VERIFY_EVERY_MS) {
      this.#verifiedAt = this.#now();
      this.#verifying.kick();
    }
    return this.#nothing();
  }

  readDetail = (): Promise<EdgeReading<never>> => this.#nothing();
  readRuleCounters = (): Promise<EdgeReading<never>> => this.#nothing();
  startPortSample = async (): Promise<void> => {};
  readPortSamples = async (): Promise<never[]> => [];

  async close(): Promise<void> {
    this.#isClosed = true;
    // Not awaited: GoBGP may take seconds to answer, and nothing depends on it any longer.
    void this.#returning.close();
    await this.#verifying.close();
    await this.#queue.idle();
    this.#gobgp.close();
  }

  async #nothing(): Promise<EdgeReading<never>> {
    return { epoch: this.name, at: this.#options.clock.now(), rows: [] };
  }

  /**
   * Returns the routes of a target's rules, given the number of routes of other targets. Rules that exceed the
   * maximum are refused like those that cannot be expressed.
   */
  #planned(target: EdgeTarget, others: number): { routes: Route[]; refused: EdgeRefusal[] } {
    const { maxAnnouncements } = this.#options;
    const { announced, refused } = planOf(target);
    const routes = new Map<string, Route>();
    for (const { ruleId, route } of announced) {
      if (routes.has(keyOf(route)) || others + routes.size < maxAnnouncements)
        routes.set(keyOf(route), route);
      else {
        const message = `routers are sent at most ${maxAnnouncements} rules, and have them`;
        refused.push({ targetId: target.id, ruleId, field: 'target', message });
      }
    }
    return { routes: [...routes.values()], refused };
  }

  #count = (): number => [...this.#held.values()].reduce((sum, { routes }) => sum + routes.length, 0);
  #countOthers = (id: string): number => this.#count() - (this.#held.get(id)?.routes.length ?? 0);

  #wanted(): Route[] {
    return [...this.#held.values()].flatMap((held) => this.#routesOf(held));
  }

  #routesOf({ ip, routes, blackholed }: Held): Route[] {
    return blackholed ? [...routes, blackholeRoute(ip, this.#options.blackholeCommunity)] : routes;
  }

  /** Updates the announcements for these addresses and leaves others alone. */
  #renew(ips: string[]): Promise<void> {
    const wanted = [...this.#held.values()]
      .filter(({ ip }) => ips.includes(ip))
      .flatMap((held) => this.#routesOf(held));
    return this.#bring(wanted, this.#rib.except(wanted, ips));
  }

  /**
   * Announces missing routes and withdraws unwanted ones. Resolves once they have been read back and a router has
   * them.
   */
  async #bring(wanted: Route[], unwanted: Route[]): Promise<void> {
    this.#watch();
    this.#failed = true;
    await this.#rib.apply(wanted, unwanted);
    requireSent(await this.#gobgp.neighbours(), this.#rib.counts());
    this.#failed = false;
  }

  /** Listens to GoBGP. */
  #watch(): void {
    if (this.#watching || this.#isClosed) return;
    this.#watching = true;
    this.#gobgp.watch({
      onReady: () => {
        this.#rib.told();
        // Earlier events were not reported.
        this.#verifying.kick();
      },
      onSession: () => this.#verifying.kick(),
      onRoute: (event) => {
        if (!this.#rib.notice(event)) this.#verifying.kick();
      },
      onEnd: () => {
        this.#watching = false;
        this.#rib.deaf();
        this.#returning.kick();
      },
    });
  }

  /** Compares the announcements with the wanted ones; several simultaneous doubts cause one comparison. */
  #verify(look: () => void): Promise<void> {
    return this.#queue.run(async () => {
      look();
      await this.#rib.read();
      const wanted = this.#wanted();
      if (this.#failed || !this.#rib.isExactly(wanted)) return this.#listener();
      requireSent(await this.#gobgp.neighbours(), this.#rib.counts());
    });
  }

  #lose(): void {
    this.#failed = true;
    this.#listener();
  }

  #check(ip: string, field: string): void {
    if (this.#mayAnnounce(ip)) return;
    throw new InvalidArgumentError(`${field}.ip: is not in a network that may be announced`);
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}

/** Throws unless a connected router has been sent as many routes of each family as there are. */
function requireSent(neighbours: Neighbour[], counts: Neighbour['sent']): void {
  for (const { family, routes } of counts) {
    const isSent = neighbours.some(
      ({ established, sent }) =>
        established &&
        sent.some(
          (one) => one.family.afi === family.afi && one.family.safi === family.safi && one.routes >= routes,
        ),
    );
    if (isSent) continue;
    const what = isFlowspec(family) ? 'rules' : 'blackholes';
    throw new EdgeUnavailableError(`no connected router accepts ${what} for IPv${family.afi === 1 ? 4 : 6}`);
  }
}

function receiptOf(targets: EdgeTarget[], refused: EdgeRefusal[]): EdgeReceipt {
  const given = targets.reduce((sum, { rules }) => sum + rules.length, 0);
  const receipt = { targets: targets.length, rules: given - refused.length };
  return refused.length > 0 ? { ...receipt, refused } : receipt;
}
