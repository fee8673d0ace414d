import type { Prng } from '../simulation/prng.ts';
import type { Outage, Vm } from './account.ts';
import { isNet, shareOf } from './net-prices.ts';
import type { Look, Observer, Tenant } from './observer.ts';
import type { PriceList } from './tariff.ts';
import { taxOn } from './tax.ts';
import type { World } from './world.ts';

/** The participants and the world of a history. */
export class Play {
  readonly world: World;
  readonly prng: Prng;
  readonly observer: Observer;
  readonly tenants: Tenant[] = [];
  readonly outages: Outage[] = [];
  /** The latest job that its owner started on each VM. */
  readonly jobs = new Map<Vm, string>();
  readonly #counts = new Map<string, number>();

  constructor(world: World, prng: Prng, observer: Observer) {
    this.world = world;
    this.prng = prng;
    this.observer = observer;
  }

  get now(): number {
    return this.world.now;
  }

  get prices() {
    return this.world.prices;
  }

  /** Returns the catalog as one buyer sees it, with their tax. */
  pricesFor({ account }: Tenant): PriceList {
    const { prices } = this;
    const { buyer } = account;
    return {
      ...prices,
      taxed: taxOn(prices, buyer),
      share: shareOf(prices, buyer),
      net: isNet(prices, buyer),
    };
  }

  look(tenant: Tenant): Look {
    return { tenant, now: this.now, prices: this.pricesFor(tenant), everything: false };
  }

  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  /** Counts of what happened. */
  told(): string {
    return [...this.#counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([what, count]) => `${what} ${count}`)
      .join(', ');
  }
}
