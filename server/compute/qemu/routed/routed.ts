import type { HostAllowance } from '../../../helpers/host/allowance.ts';
import { checkGuestAndPolicy, type GuestAndPolicy, plainGuest } from '../../../helpers/host/shapes.ts';
import { SerialQueue } from '../../../platform/serial-queue.ts';
import { InvalidArgumentError } from '../../../platform/strict-shapes.ts';
import type { DriverReport, NetworkPolicy } from '../../driver.ts';
import { connectTo } from '../../inside/connect.ts';
import type { HostNetwork, NetworkGuest, NetworkReading } from '../network/network.ts';
import { type AllowanceCheck, allowanceCheck, trafficLimitsOf } from './allowance.ts';
import { type Entry, reassertBatch, removeBatch, updateBatch } from './batch.ts';
import { type Card, cardOf, forwardKey } from './card.ts';
import { applyBatch, run } from './commands.ts';
import { checkFree, checkTogether } from './consistency.ts';
import {
  connectTap,
  disconnectTap,
  enableForwarding,
  findUplink,
  hasLink,
  reassertRoutes,
  reservedAddresses,
  routesToTaps,
  waysAreSound,
} from './links.ts';
import { netdevOf, TAP_PREFIX, tapName } from './names.ts';
import { Sentinel } from './sentinel.ts';
import { acceptable, makeSound } from './sound.ts';
import { applyQueues, speedsOf } from './speed.ts';
import { readCards, readCounts, readingsOf } from './state.ts';
import { baseTable } from './table.ts';
import type { TrafficLimits } from './traffic-limits.ts';

const INTERFACE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/;
/** Longest wait of {@link RoutedNetwork.altered}, so that its caller regularly learns that watching still works. */
const WATCH_MS = 30_000;
/** Shorter than any guest's interface name, so it cannot be mistaken for one. */
const PROBE_TAP = `${TAP_PREFIX}probe`;

export interface RoutedOptions {
  /** The interface that leads out. If absent, the one of the default route. */
  uplink?: string;
  /** If absent, guests may have any address and forward. */
  allowance?: HostAllowance;
  /** Called for a guest that {@link RoutedNetwork.reassert} leaves out, with the reason. */
  onRefused?(id: string, reason: Error): void;
}

/**
 * Connects each guest through its own tap, without a bridge: the host routes to each, and one nftables table filters
 * them (see docs/network.md). Needs CAP_NET_ADMIN. The kernel holds the state, so nothing is lost on a restart.
 */
export class RoutedNetwork implements HostNetwork {
  readonly mode = 'routed';
  readonly #options: RoutedOptions;
  readonly #checkAllowed: AllowanceCheck;
  readonly #limits: TrafficLimits;
  readonly #base = (uplink: string) => baseTable(uplink, this.#limits);
  readonly #refused = (id: string, reason: Error) => this.#options.onRefused?.(id, reason);
  #uplink: Promise<string> | undefined;
  /**
   * Content of the table as last read, plus our own changes, since we are its only writer. Undefined if it must be read
   * again.
   */
  #held: Map<string, Card> | undefined;
  readonly #sentinel = new Sentinel((look) =>
    this.#changes.run(async () => {
      look();
      return waysAreSound([...(await this.#read()).values()], await this.#findUplink());
    }),
  );
  /** One change at a time, because each builds on the result of the last. */
  readonly #changes = new SerialQueue();

  constructor(options: RoutedOptions = {}) {
    if (options.uplink !== undefined && !INTERFACE.test(options.uplink)) {
      throw new InvalidArgumentError(
        `uplink: ${JSON.stringify(options.uplink)} is not the name of an interface`,
      );
    }
    this.#options = options;
    this.#limits = trafficLimitsOf(options.allowance ?? {});
    this.#checkAllowed = options.allowance ? allowanceCheck(options.allowance) : () => {};
  }

  async probe(): Promise<DriverReport> {
    try {
      return await this.#changes.run(async () => {
        const [version, uplink] = await Promise.all([run('nft', ['--version']), this.#findUplink()]);
        await enableForwarding(uplink);
        await applyBatch(this.#base(uplink));
        if (!(await hasLink(PROBE_TAP))) await run('ip', ['tuntap', 'add', 'dev', PROBE_TAP, 'mode', 'tap']);
        await run('ip', ['link', 'del', 'dev', PROBE_TAP]);
        const [program = 'nftables'] = /nftables v\S+/.exec(version) ?? [];
        return { ok: true, summary: `guests are routed over ${uplink}, fenced by ${program}` };
      });
    } catch (error) {
      return { ok: false, summary: `no routed network: ${(error as Error).message}` };
    }
  }

  async attach(guest: NetworkGuest, policy: NetworkPolicy): Promise<string> {
    const entry = this.#entryOf(guest, policy);
    await this.#changes.run(async () => {
      const uplink = await this.#findUplink();
      // Rules first, so that they apply from the interface's first packet.
      await this.#update(entry, uplink);
      await connectTap(guest, entry.card, uplink);
      await applyQueues(speedsOf([entry]));
    });
    return netdevOf(guest.id);
  }

  async apply(guest: NetworkGuest, policy: NetworkPolicy): Promise<void> {
    const entry = this.#entryOf(guest, policy);
    await this.#changes.run(async () => {
      await this.#update(entry, await this.#findUplink());
      await applyQueues(speedsOf([entry]));
    });
  }

  async reassert(guests: GuestAndPolicy[]): Promise<string[]> {
    return this.#changes.run(async () => {
      // Before anything is rebuilt, so that changes from now on are noticed.
      await this.#sentinel.begin();
      const uplink = await this.#findUplink();
      const entries = await this.#reassertTable(uplink, await this.#acceptable(guests));
      await enableForwarding(uplink);
      await applyQueues(speedsOf([...entries.values()]));
      const cards = guests.map(({ guest }) => [guest, entries.get(guest.id)?.card] as const);
      const connected = cards.flatMap(([guest, card]): [NetworkGuest, Card][] =>
        card ? [[guest, card]] : [],
      );
      const refused = cards.flatMap(([{ id }, card]) => (card ? [] : [id]));
      return [...(await reassertRoutes(connected, uplink)), ...refused];
    });
  }

  async detach(id: string): Promise<void> {
    const tap = tapName(id);
    await this.#changes.run(async () => {
      const uplink = await this.#findUplink();
      const card = (await this.#read()).get(tap);
      await disconnectTap(tap, card?.addresses ?? [], uplink);
      if (!card) return;
      await this.#change(
        (held, known) => [...(known ? [] : this.#base(uplink)), ...removeBatch(held.get(tap) ?? card)],
        (held) => {
          held.delete(tap);
          return held;
        },
      );
    });
  }

  async altered(signal: AbortSignal): Promise<boolean> {
    // Changes made before the watch began are unknown, so assume some.
    if (!this.#sentinel.running) {
      await this.#changes.run(() => this.#sentinel.start());
      return true;
    }
    return this.#sentinel.altered(AbortSignal.any([signal, AbortSignal.timeout(WATCH_MS)]));
  }

  /** If the process lacks the privileges, the change itself will fail. */
  async reachable(): Promise<void> {}

  async counters(ids: string[]): Promise<Map<string, NetworkReading>> {
    const [counts, routes, cards] = await Promise.all([readCounts(), routesToTaps(), this.#read()]);
    return readingsOf(ids, counts, routes, cards);
  }

  readonly connect: HostNetwork['connect'] = connectTo;

  async close(): Promise<void> {
    await this.#changes.idle();
    this.#sentinel.close();
  }

  async #acceptable(guests: GuestAndPolicy[]): Promise<Map<string, Entry>> {
    const entryOf = (given: GuestAndPolicy) => this.#entryOf(given.guest, given.policy);
    return acceptable(guests, entryOf, await reservedAddresses(), this.#refused);
  }

  /** Rebuilds the table with these guests, except for those that nft refuses. Returns the guests it then holds. */
  async #reassertTable(uplink: string, entries: Map<string, Entry>): Promise<Map<string, Entry>> {
    const make = (some: Entry[]) =>
      this.#change(
        async () => reassertBatch(uplink, some, await readCounts(), this.#limits),
        () => new Map(some.map(({ card }) => [card.tap, card])),
      );
    return makeSound(uplink, entries, make, this.#refused);
  }

  /** Checked again here, whatever the source: this becomes input of a program that may do anything to the network. */
  #entryOf(guest: NetworkGuest, policy: NetworkPolicy): Entry {
    const given: unknown = { guest: plainGuest(guest), policy };
    checkGuestAndPolicy(given);
    checkTogether(given);
    this.#checkAllowed(guest, policy);
    return { id: guest.id, card: cardOf(guest, policy), policy };
  }

  async #update(entry: Entry, uplink: string): Promise<void> {
    checkFree(entry.card, await reservedAddresses(), (await this.#read()).values());
    await this.#change(
      (held, known) => [...(known ? [] : this.#base(uplink)), ...updateBatch(held, entry)],
      (held) => {
        const keys = new Set(entry.card.forwards.map(forwardKey));
        for (const card of held.values()) {
          card.forwards = card.forwards.filter((forward) => !keys.has(forwardKey(forward)));
        }
        return held.set(entry.card.tap, entry.card);
      },
    );
  }

  /**
   * Applies the batch that `write` builds from the table's content, and remembers the new content. If it fails, another
   * process may have changed the table, so it tries once more with the content read from the kernel (`known` is then
   * false).
   */
  async #change(
    write: (held: Map<string, Card>, known: boolean) => string[] | Promise<string[]>,
    after: (held: Map<string, Card>) => Map<string, Card>,
  ): Promise<void> {
    const known = this.#held !== undefined;
    const held = await this.#read();
    const failed = this.#sentinel.expect();
    try {
      await applyBatch(await write(held, known));
      this.#held = after(held);
    } catch (error) {
      failed();
      this.#held = undefined;
      if (!known) throw error;
      await this.#change(write, after);
    }
  }

  async #read(): Promise<Map<string, Card>> {
    this.#held ??= await readCards();
    return this.#held;
  }

  #findUplink(): Promise<string> {
    if (this.#options.uplink !== undefined) return Promise.resolve(this.#options.uplink);
    this.#uplink ??= findUplink().catch((error) => {
      this.#uplink = undefined;
      throw error;
    });
    return this.#uplink;
  }
}
