import type { HostAllowance } from '../../../helpers/host/allowance.ts';
import { checkGuestAndPolicy, type GuestAndPolicy, plainGuest } from '../../../helpers/host/shapes.ts';
import type { Logger } from '../../../platform/logging.ts';
import type { KernelTables } from '../../../platform/nftables/tables.ts';
import { InvalidArgumentError } from '../../../platform/strict-shapes.ts';
import type { DriverReport, NetworkPolicy } from '../../driver.ts';
import { connectTo } from '../../inside/connect.ts';
import type { HostNetwork, NetworkGuest, NetworkReading } from '../network/network.ts';
import { type AllowanceCheck, allowanceCheck, trafficLimitsOf } from './allowance.ts';
import { type Entry, reassertBatch, removeBatch, updateBatch } from './batch.ts';
import { type Card, cardOf, forwardKey } from './card.ts';
import { run } from './commands.ts';
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
import { readCounts, readingsOf } from './state.ts';
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
  /** Told if the tables are rebuilt again and again. */
  logger?: Pick<Logger, 'error'>;
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
  readonly #sentinel: Sentinel;
  readonly #tables: KernelTables<Map<string, Card>>;

  constructor(options: RoutedOptions = {}) {
    if (options.uplink !== undefined && !INTERFACE.test(options.uplink)) {
      throw new InvalidArgumentError(
        `uplink: ${JSON.stringify(options.uplink)} is not the name of an interface`,
      );
    }
    this.#options = options;
    this.#limits = trafficLimitsOf(options.allowance ?? {});
    this.#checkAllowed = options.allowance ? allowanceCheck(options.allowance) : () => {};
    this.#sentinel = new Sentinel({
      logger: options.logger,
      waysAreSound: (look) =>
        this.#tables.lanes.write(async () => {
          look();
          return waysAreSound([...(await this.#read()).values()], await this.#findUplink());
        }),
    });
    this.#tables = this.#sentinel.tables;
  }

  async probe(): Promise<DriverReport> {
    try {
      return await this.#tables.lanes.write(async () => {
        const [version, uplink] = await Promise.all([run('nft', ['--version']), this.#findUplink()]);
        await enableForwarding(uplink);
        await this.#tables.apply(this.#base(uplink));
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
    await this.#tables.lanes.write(async () => {
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
    await this.#tables.lanes.write(async () => {
      await this.#update(entry, await this.#findUplink());
      await applyQueues(speedsOf([entry]));
    });
  }

  async reassert(guests: GuestAndPolicy[]): Promise<string[]> {
    return this.#tables.lanes.write(async () => {
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
    await this.#tables.lanes.write(async () => {
      const uplink = await this.#findUplink();
      const card = (await this.#read()).get(tap);
      await disconnectTap(tap, card?.addresses ?? [], uplink);
      if (!card) return;
      await this.#tables.change((held = new Map(), isKnown) => ({
        lines: [...(isKnown ? [] : this.#base(uplink)), ...removeBatch(held.get(tap) ?? card)],
        content: new Map([...held].filter(([name]) => name !== tap)),
      }));
    });
  }

  async altered(signal: AbortSignal): Promise<boolean> {
    // Changes made before the watch began are unknown, so assume some.
    if (!this.#sentinel.running) {
      await this.#tables.lanes.write(() => this.#sentinel.start());
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
    await this.#sentinel.close();
  }

  async #acceptable(guests: GuestAndPolicy[]): Promise<Map<string, Entry>> {
    const entryOf = (given: GuestAndPolicy) => this.#entryOf(given.guest, given.policy);
    return acceptable(guests, entryOf, await reservedAddresses(), this.#refused);
  }

  /** Rebuilds the table with these guests, except for those that nft refuses. Returns the guests it then holds. */
  async #reassertTable(uplink: string, entries: Map<string, Entry>): Promise<Map<string, Entry>> {
    const make = async (some: Entry[]) => {
      const content = new Map(some.map(({ card }) => [card.tap, card]));
      await this.#tables.change(async () => ({
        lines: reassertBatch(uplink, some, await readCounts(), this.#limits),
        content,
      }));
      this.#tables.rebuilt(content, 'another process altered the network, or the service asked for it');
    };
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
    await this.#tables.change((held = new Map(), isKnown) => ({
      lines: [...(isKnown ? [] : this.#base(uplink)), ...updateBatch(held, entry)],
      content: withCard(held, entry.card),
    }));
  }

  async #read(): Promise<Map<string, Card>> {
    return (await this.#tables.content()) ?? new Map();
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

/** Returns the table's content with this card: forwards that have moved to its guest are no longer others'. */
function withCard(held: Map<string, Card>, card: Card): Map<string, Card> {
  const keys = new Set(card.forwards.map(forwardKey));
  const others = [...held].map(([tap, other]): [string, Card] => [
    tap,
    { ...other, forwards: other.forwards.filter((forward) => !keys.has(forwardKey(forward))) },
  ]);
  return new Map(others).set(card.tap, card);
}
