import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { PortForwardEntry } from '../../compute/network-policy.ts';
import { addressMatcher } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import { applyNftBatch, runNetworkProgram } from '../../platform/nft.ts';
import { TableWatch } from '../../platform/nft-watch.ts';
import { checkTogether, PublicPortRanges, type PublicPorts } from '../../platform/public-ports.ts';
import { SerialQueue } from '../../platform/serial-queue.ts';
import { InvalidArgumentError } from '../../platform/strict-shapes.ts';
import {
  type GatewayCapabilities,
  type GatewayDriver,
  type GatewayReport,
  GatewayUnavailableError,
} from '../driver.ts';
import { endOthers } from './connections.ts';
import { changeBatch, type Forwards, forwardsOf, type Layout, rebuildBatch, TABLE } from './table.ts';

/** Changes that the kernel did not announce are corrected after this time, the next time forwards are applied. */
const REBUILD_EVERY_MS = 60_000;
const OURS = new RegExp(`^\\S+ \\S+ ${TABLE}( |$)`);
const FORWARDING = '/proc/sys/net/ipv4/ip_forward';

export interface NftablesGatewayOptions {
  publicPorts: readonly PublicPorts[];
  guestPrefixes: readonly string[];
  clock: Clock;
}

/**
 * This host's gateway: one nftables table, and the kernel's connections that its forwards have created. See
 * docs/gateway.md.
 */
export class NftablesGateway implements GatewayDriver {
  readonly name = 'nftables';
  readonly #options: NftablesGatewayOptions;
  readonly #layout: Layout;
  readonly #ranges: PublicPortRanges;
  readonly #isGuest: (ip: string) => boolean;
  /** Part of every change this process makes, so that a watcher of the table recognises them. */
  readonly #signature = `ip vauban-gateway-own-${randomBytes(6).toString('hex')}`;
  readonly #watch: TableWatch;
  readonly #queue = new SerialQueue();
  #listener: () => void = () => {};
  /** The forwards the kernel holds; undefined if they are unknown and everything must be written. */
  #held: Forwards | undefined;
  #madeAt = 0;
  /** Counts the events that have cast doubt on what the kernel holds. */
  #doubts = 0;
  /** True if there may be connections through removed forwards. */
  #hasOthers = false;

  constructor(options: NftablesGatewayOptions) {
    const { publicPorts, guestPrefixes } = options;
    this.#options = options;
    this.#layout = { publicPorts, guestPrefixes: guestPrefixes.filter((network) => isIP4(network)) };
    this.#ranges = new PublicPortRanges(publicPorts);
    this.#isGuest = addressMatcher(guestPrefixes);
    this.#watch = new TableWatch({
      ours: OURS,
      signature: this.#signature,
      onDoubt: () => this.#doubt(),
    });
  }

  async probe(): Promise<GatewayReport> {
    this.#watch.start();
    try {
      return { ok: true, summary: await this.#queue.run(() => this.#probe()) };
    } catch (error) {
      return { ok: false, summary: (error as Error).message };
    }
  }

  capabilities(): GatewayCapabilities {
    const { publicPorts, guestPrefixes } = this.#options;
    return { forwards: 'here', publicPorts, guestPrefixes };
  }

  onAltered(listener: () => void): void {
    this.#listener = listener;
  }

  async applyForwards(all: PortForwardEntry[]): Promise<void> {
    this.#check(all);
    const wanted = forwardsOf(all);
    await this.#queue.run(async () => {
      this.#watch.start();
      try {
        await this.#bringTo(wanted);
        if (!this.#hasOthers) return;
        await endOthers(this.#layout, wanted);
        this.#hasOthers = false;
      } catch (error) {
        throw new GatewayUnavailableError((error as Error).message, { cause: error });
      }
    });
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#queue.idle();
  }

  async #bringTo(wanted: Forwards): Promise<void> {
    const now = this.#options.clock.now().getTime();
    const held = now - this.#madeAt < REBUILD_EVERY_MS ? this.#held : undefined;
    const batch = held ? changeBatch(held, wanted) : rebuildBatch(this.#layout, wanted);
    if (batch.length === 0) return;
    const doubts = this.#doubts;
    this.#held = undefined;
    this.#hasOthers ||= !held || [...held].some(([key, target]) => wanted.get(key) !== target);
    const rebuild = () => this.#apply(rebuildBatch(this.#layout, wanted));
    // If the table is not as it was left, the kernel refuses the whole change.
    if (held) await this.#apply(batch).catch(rebuild);
    else {
      await rebuild();
      this.#madeAt = now;
    }
    if (this.#doubts === doubts) this.#held = wanted;
  }

  #apply(lines: string[]): Promise<void> {
    return applyNftBatch(lines, { signature: this.#signature });
  }

  #doubt(): void {
    this.#doubts++;
    this.#held = undefined;
    this.#listener();
  }

  #check(all: PortForwardEntry[]): void {
    checkTogether(all, 'forwards');
    this.#ranges.check(all, 'forwards');
    const stranger = all.findIndex(({ internalIp }) => !this.#isGuest(internalIp));
    if (stranger >= 0)
      throw new InvalidArgumentError(
        `forwards.${stranger}.internalIp: is not allowed by this host's configuration`,
      );
  }

  /** Creates a table with everything that is needed, and deletes it in the same step. */
  async #probe(): Promise<string> {
    const scratch = (line: string) => line.replaceAll(TABLE, `${TABLE}-probe`);
    const example = new Map([['192.0.2.1 . tcp . 1', '192.0.2.2 . 2']]);
    const lines = rebuildBatch(this.#layout, example).map(scratch);
    await this.#apply([...lines, `delete table ${TABLE}-probe`]);
    await runNetworkProgram('conntrack', ['-C']);
    if ((await readFile(FORWARDING, 'utf8')).trim() !== '1')
      throw new Error('this host does not route packets: it needs net.ipv4.ip_forward=1 (see sysctl.d(5))');
    const ports = this.#layout.publicPorts.map(({ address, ports }) => `${address}:${ports}`);
    const version = (await runNetworkProgram('nft', ['--version'])).trim().replace(/ \(.*/, '');
    return `${version}, forwards ${ports.join(', ')}`;
  }
}

const isIP4 = (network: string) => isIP(network.split('/')[0]!) === 4;
