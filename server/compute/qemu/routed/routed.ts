import type { Duplex } from 'node:stream';
import type { DriverReport, NetworkPolicy } from '../../driver.ts';
import type { HostNetwork, NetworkGuest, NetworkReading } from '../network.ts';
import { type Entry, reassertBatch, removeBatch, updateBatch } from './batch.ts';
import { type Card, cardOf, forwardKey } from './card.ts';
import { applyBatch, run } from './commands.ts';
import { connectTo } from './connect.ts';
import {
  connectTap,
  disconnectTap,
  enableForwarding,
  findUplink,
  hasLink,
  reassertRoutes,
  routesToTaps,
} from './links.ts';
import { netdevOf, TAP_PREFIX, tapName } from './names.ts';
import { checkGuestAndPolicy, InvalidArgumentError, plainGuest } from './shapes.ts';
import { applyQueues } from './speed.ts';
import { readCards, readCounts } from './state.ts';
import { baseTable } from './table.ts';

const INTERFACE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/;
/** Shorter than any guest's, so that it is nobody's. */
const PROBE_TAP = `${TAP_PREFIX}probe`;

export interface RoutedOptions {
  /** The interface that leads out; absent: the one of the default route. */
  uplink?: string;
  /** Number of the user that runs QEMU and may open the guests' interfaces; absent: only root may. */
  tapOwner?: number;
}

/**
 * Guests on taps of their own, without a bridge: the host routes to each, and one table of nftables fences them (see
 * docs/network.md). Needs CAP_NET_ADMIN. The kernel holds the state, so a restart forgets nothing.
 */
export class RoutedNetwork implements HostNetwork {
  readonly mode = 'routed';
  readonly #options: RoutedOptions;
  #uplink: Promise<string> | undefined;
  /** What the table holds, as last read and changed by us, its one writer; undefined: unknown, to be read. */
  #held: Map<string, Card> | undefined;
  /** The end of the last change: the next one begins then. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RoutedOptions = {}) {
    if (options.uplink !== undefined && !INTERFACE.test(options.uplink)) {
      throw new InvalidArgumentError(`uplink: ${JSON.stringify(options.uplink)} is no name of an interface`);
    }
    this.#options = options;
  }

  async probe(): Promise<DriverReport> {
    try {
      return await this.#exclusively(async () => {
        const [version, uplink] = await Promise.all([run('nft', ['--version']), this.#findUplink()]);
        await enableForwarding(uplink);
        await applyBatch(baseTable(uplink));
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
    const entry = entryOf(guest, policy);
    await this.#exclusively(async () => {
      const uplink = await this.#findUplink();
      // The rules first: the interface has them from its first packet.
      await this.#update(entry, uplink);
      await connectTap(guest, entry.card, uplink, this.#options.tapOwner);
      await applyQueues(speedsOf([entry]));
    });
    return netdevOf(guest.id);
  }

  async apply(guest: NetworkGuest, policy: NetworkPolicy): Promise<void> {
    const entry = entryOf(guest, policy);
    await this.#exclusively(async () => {
      await this.#update(entry, await this.#findUplink());
      await applyQueues(speedsOf([entry]));
    });
  }

  async reassert(guests: { guest: NetworkGuest; policy: NetworkPolicy }[]): Promise<string[]> {
    const entries = guests.map(({ guest, policy }) => entryOf(guest, policy));
    return this.#exclusively(async () => {
      const uplink = await this.#findUplink();
      await this.#change(
        async () => reassertBatch(uplink, entries, await readCounts()),
        () => new Map(entries.map(({ card }) => [card.tap, card])),
      );
      await enableForwarding(uplink);
      await applyQueues(speedsOf(entries));
      return reassertRoutes(
        guests.map(({ guest }, index) => [guest, entries[index]!.card]),
        uplink,
      );
    });
  }

  async detach(id: string): Promise<void> {
    const tap = tapName(id);
    await this.#exclusively(async () => {
      const uplink = await this.#findUplink();
      const card = (await this.#read()).get(tap);
      await disconnectTap(tap, card?.addresses ?? [], uplink);
      if (!card) return;
      await this.#change(
        (held, known) => [...(known ? [] : baseTable(uplink)), ...removeBatch(held.get(tap) ?? card)],
        (held) => {
          held.delete(tap);
          return held;
        },
      );
    });
  }

  /** Whoever may not change anything is told so by the change itself. */
  async reachable(): Promise<void> {}

  async counters(ids: string[]): Promise<Map<string, NetworkReading>> {
    const [counts, routes, cards] = await Promise.all([readCounts(), routesToTaps(), this.#read()]);
    const found = ids.flatMap((id): [string, NetworkReading][] => {
      const incoming = counts.get(`in-${tapName(id)}`);
      const outgoing = counts.get(`out-${tapName(id)}`);
      if (!incoming || !outgoing) return [];
      const { bytes: inBytes, packets: inPackets } = incoming;
      const { bytes: outBytes, packets: outPackets } = outgoing;
      const card = cards.get(tapName(id));
      const connected = card?.addresses.every((address) => routes.get(address) === card.tap) ?? false;
      return [[id, { inBytes, inPackets, outBytes, outPackets, connected }]];
    });
    return new Map(found);
  }

  connect(guest: NetworkGuest, port: number): Promise<Duplex> {
    return connectTo(guest, port);
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
  }

  async #update(entry: Entry, uplink: string): Promise<void> {
    await this.#change(
      (held, known) => [...(known ? [] : baseTable(uplink)), ...updateBatch(held, entry)],
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
   * Applies the batch that `write` makes of what the table holds, and remembers what it then holds. Where it fails
   * somebody else may have changed the table: once more, on what is there in truth (`known` is false then).
   */
  async #change(
    write: (held: Map<string, Card>, known: boolean) => string[] | Promise<string[]>,
    after: (held: Map<string, Card>) => Map<string, Card>,
  ): Promise<void> {
    const known = this.#held !== undefined;
    const held = await this.#read();
    try {
      await applyBatch(await write(held, known));
      this.#held = after(held);
    } catch (error) {
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

  /** One change at a time: each is made from what the one before has left. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.catch(() => {}).then(work);
    this.#last = mine;
    // Whoever asked for it hears of its failure.
    mine.catch(() => {});
    return mine;
  }
}

const speedsOf = (entries: Entry[]) => new Map(entries.map(({ card, policy }) => [card.tap, policy]));

/** Checked here as well, however it came: what is made of it is a program that root runs. */
function entryOf(guest: NetworkGuest, policy: NetworkPolicy): Entry {
  const given: unknown = { guest: plainGuest(guest), policy };
  checkGuestAndPolicy(given);
  return { id: guest.id, card: cardOf(guest, policy), policy };
}
