import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config-error.ts';
import { readLines } from '../../platform/peer/lines.ts';
import {
  EDGE_CLASSES,
  type EdgeReading,
  EdgeUnavailableError,
  type PortSample,
  type TargetDetail,
  type TargetTotals,
  type TrafficSource,
  type Volume,
} from '../driver.ts';
import { FlowCounts } from './counts.ts';
import { readLine } from './line.ts';

/** Much longer than any line of the collector. */
const LONGEST_LINE = 4_096;
const SECOND = 1_000;
/** A collector that was silent for this long is considered down: its silence then says nothing about the traffic. */
const SILENT_MS = 30_000;
const OTHERS_MAY_WRITE = 0o002;

/**
 * Flow records that a NetFlow, IPFIX or sFlow collector (pmacct) writes to a pipe, for targets whose traffic does not
 * pass this host. The records are trusted, so a pipe that others than the collector can write to is refused.
 */
export class FlowSource implements TrafficSource {
  readonly #clock: Clock;
  readonly #counts: FlowCounts;
  readonly #socket: Socket;
  readonly #epoch = `flows-${randomBytes(6).toString('hex')}`;
  /**
   * When the collector last ended a round, and the instant up to which its rounds are counted, in epoch milliseconds.
   */
  #purgedAt: number;
  #countedAt: number;

  /**
   * `seconds` is the interval at which exporters report an ongoing flow. Throws {@link ConfigError} if the pipe
   * cannot be used.
   */
  constructor({ pipe, seconds, clock }: { pipe: string; seconds: number; clock: Clock }) {
    this.#clock = clock;
    this.#counts = new FlowCounts(seconds);
    this.#purgedAt = clock.now().getTime();
    this.#countedAt = this.#purgedAt;
    this.#socket = new Socket({ fd: openPipe(pipe), readable: true, writable: false });
    // A broken pipe falls silent, which the next reading notices.
    readLines(this.#socket, {
      peer: 'the flow collector',
      onLine: (line) => this.#take(line),
      maxBytes: LONGEST_LINE,
      skipLong: true,
    });
    this.#socket.unref();
  }

  get targets(): Pick<FlowCounts, 'add' | 'remove' | 'replace'> {
    return this.#counts;
  }

  async readTotals(): Promise<EdgeReading<TargetTotals>> {
    const { rows, ...dated } = this.#read(() => this.#counts.details());
    return {
      ...dated,
      rows: rows.map(({ id, classes }) => {
        const all = sumOf(classes);
        // Drops behind the exporter are not known here.
        return { id, in: all, passed: all, outBytes: null };
      }),
    };
  }

  async readDetail(ids: string[]): Promise<EdgeReading<TargetDetail>> {
    return this.#read(() => this.#counts.details(ids));
  }

  async startPortSample(ids: string[]): Promise<void> {
    this.#counts.startSample(ids, this.#clock.now().getTime());
  }

  async readPortSamples(ids: string[]): Promise<PortSample[]> {
    return this.#counts.samples(ids);
  }

  close(): void {
    this.#socket.destroy();
  }

  /**
   * Dates readings at the end of the collector's last round, or whole seconds after it while the collector is silent.
   * Rounds and looks are equally long: a look that covered two rounds would show twice the rate, and one that covered
   * none would show zero.
   */
  #read<Row>(rows: () => Row[]): EdgeReading<Row> {
    const now = this.#clock.now().getTime();
    const silent = now - this.#purgedAt;
    if (silent > SILENT_MS) {
      throw new EdgeUnavailableError(
        `the flow collector has sent nothing for ${Math.round(silent / SECOND)} s`,
      );
    }
    const at = this.#purgedAt + SECOND * Math.max(0, Math.floor((silent - SECOND / 2) / SECOND));
    const seconds = Math.round((at - this.#countedAt) / SECOND);
    if (seconds > 0) {
      this.#counts.step(seconds);
      this.#countedAt = at;
    }
    return { epoch: this.#epoch, at: new Date(this.#countedAt), rows: rows() };
  }

  #take(line: Buffer): void {
    const now = this.#clock.now().getTime();
    const flow = readLine(line);
    if (flow === 'purge') this.#purgedAt = now;
    else if (flow) this.#counts.take(flow, now);
  }
}

function sumOf(classes: TargetDetail['classes']): Volume {
  const sum = (part: keyof Volume) => EDGE_CLASSES.reduce((total, name) => total + classes[name][part], 0);
  return { packets: sum('packets'), bytes: sum('bytes') };
}

/**
 * Opens the pipe for writing as well. Otherwise reading would end whenever the collector closes it, which is after
 * each round.
 */
function openPipe(path: string): number {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  } catch (error) {
    throw new ConfigError([`VAUBAN_FLOWS_PIPE: ${(error as Error).message}`]);
  }
  const found = fstatSync(fd);
  const why = !found.isFIFO()
    ? 'is not a named pipe'
    : (found.mode & OTHERS_MAY_WRITE) !== 0
      ? 'is writable by users other than its owner and group, but its content is trusted'
      : undefined;
  if (why === undefined) return fd;
  closeSync(fd);
  throw new ConfigError([`VAUBAN_FLOWS_PIPE: ${path} ${why}`]);
}
