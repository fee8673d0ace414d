import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { PortForwardEntry } from '../../compute/network-policy.ts';
import { addressMatcher } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { runNetworkProgram } from '../../platform/nftables/program.ts';
import { KernelTables } from '../../platform/nftables/tables.ts';
import { checkTogether, PublicPortRanges, type PublicPorts } from '../../platform/public-ports.ts';
import { InvalidArgumentError } from '../../platform/strict-shapes.ts';
import {
  type GatewayCapabilities,
  type GatewayDriver,
  type GatewayReport,
  GatewayUnavailableError,
} from '../driver.ts';
import { endOthers } from './connections.ts';
import {
  changeBatch,
  type Forwards,
  forwardsOf,
  type Layout,
  readForwards,
  rebuildBatch,
  TABLE,
} from './table.ts';

const FORWARDING = '/proc/sys/net/ipv4/ip_forward';

export interface NftablesGatewayOptions {
  publicPorts: readonly PublicPorts[];
  guestPrefixes: readonly string[];
  clock: Clock;
  /** Told if the table is rebuilt again and again. */
  logger?: Pick<Logger, 'error'>;
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
  readonly #tables: KernelTables<Forwards>;
  #listener: () => void = () => {};
  /** True if another process has altered the table since it was last rebuilt, so that all of it is replaced. */
  #isAltered = false;
  /** True if there may be connections through removed forwards. */
  #hasOthers = true;

  constructor(options: NftablesGatewayOptions) {
    const { publicPorts, guestPrefixes } = options;
    this.#options = options;
    this.#layout = { publicPorts, guestPrefixes: guestPrefixes.filter((network) => isIP4(network)) };
    this.#ranges = new PublicPortRanges(publicPorts);
    this.#isGuest = addressMatcher(guestPrefixes);
    this.#tables = new KernelTables({
      tables: [TABLE],
      clock: options.clock,
      logger: options.logger,
      read: () => readForwards(this.#layout),
      // No comparison: a chain's policy or a dormant table would not be seen, and rebuilding is as quick.
      onAltered: () => {
        this.#isAltered = true;
        this.#listener();
      },
      unavailable: (message, cause) => new GatewayUnavailableError(message, cause),
    });
  }

  async probe(): Promise<GatewayReport> {
    this.#tables.watch();
    try {
      return { ok: true, summary: await this.#tables.lanes.write(() => this.#probe()) };
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
    await this.#tables.lanes.write(async () => {
      this.#tables.watch();
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
    await this.#tables.close();
  }

  async #bringTo(wanted: Forwards): Promise<void> {
    if (this.#isAltered || this.#tables.isStale) this.#tables.forget();
    const isAltered = this.#isAltered;
    this.#isAltered = false;
    let isRebuilt = false;
    try {
      await this.#tables.change((held, isKnown) => {
        isRebuilt = isAltered || held === undefined;
        this.#hasOthers ||= !isKnown || [...held!].some(([key, target]) => wanted.get(key) !== target);
        return {
          lines: isRebuilt ? rebuildBatch(this.#layout, wanted) : changeBatch(held!, wanted),
          content: wanted,
        };
      });
    } catch (error) {
      this.#isAltered ||= isAltered;
      throw error;
    }
    if (isRebuilt) this.#tables.rebuilt(wanted, 'the table is missing, or another process has altered it');
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
    await this.#tables.apply([...lines, `delete table ${TABLE}-probe`]);
    await runNetworkProgram('conntrack', ['-C']);
    if ((await readFile(FORWARDING, 'utf8')).trim() !== '1')
      throw new Error('this host does not route packets: it needs net.ipv4.ip_forward=1 (see sysctl.d(5))');
    const ports = this.#layout.publicPorts.map(({ address, ports }) => `${address}:${ports}`);
    const version = (await runNetworkProgram('nft', ['--version'])).trim().replace(/ \(.*/, '');
    return `${version}, forwards ${ports.join(', ')}`;
  }
}

const isIP4 = (network: string) => isIP(network.split('/')[0]!) === 4;
