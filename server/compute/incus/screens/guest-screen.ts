import type { Duplex } from 'node:stream';
import type { Clock } from '../../../platform/clock.ts';
import { AgentUnavailableError } from '../../driver.ts';
import { IncusError } from '../client.ts';
import { type Instance, isOn, runOf } from '../instance.ts';
import type { Attachment } from './attachment.ts';
import type { Shown } from './shown.ts';

export interface GuestScreenParts {
  clock: Clock;
  /** Opens what shows this guest. `end` ends the screen, as what the guest shows cannot be. Throws as drivers do. */
  show(instance: Instance, end: () => void): Shown;
  /** The guest's instance as it is now; undefined where there is none. Throws where it cannot be seen. */
  find(): Promise<Instance | undefined>;
  /** To be called when the screen has ended. */
  over(): void;
}

/** Connections to one guest's screen on this node; more are a leak in the caller. */
const MAX_VIEWERS = 64;
/** How long a guest whose console has ended may take to be on again: a reboot, or a member's daemon that starts anew. */
const AWAY_MS = 10_000;
const LOOK_EVERY_MS = 500;

const TAKEN = /already connected/;
/** Answers of Incus that others have the console, after which they do: a first one may be of our own that is just ending. */
const MAX_TAKEN = 3;

/**
 * The screen of one guest and all its viewers on this node, who share one attachment to its console. It lasts over reboots, and
 * ends with the guest's power, when its last viewer has left, or when another node has taken the console.
 */
export class GuestScreen {
  readonly #parts: GuestScreenParts;
  readonly #id: string;
  readonly #over = new AbortController();
  readonly #viewers = new Set<Duplex>();
  readonly #attached: Promise<void>;
  /** Viewers that wait for the attachment. */
  #coming = 0;
  #shown: Shown | undefined;
  #attachment: Attachment | undefined;
  /** The run of the guest that it is of, and the last one that the guest was seen in since. */
  #run: string | undefined;
  #seen: string | undefined;

  constructor(id: string, parts: GuestScreenParts) {
    this.#id = id;
    this.#parts = parts;
    this.#attached = this.#begin();
  }

  /** A viewer's connection. Throws {@link AgentUnavailableError} where the guest is off, and as members do. */
  async view(): Promise<Duplex> {
    if (this.#viewers.size + this.#coming >= MAX_VIEWERS)
      throw new AgentUnavailableError(`the screen of ${this.#id} takes no more connections`);
    this.#coming++;
    try {
      await this.#attached;
    } catch (error) {
      this.end();
      throw error;
    } finally {
      this.#coming--;
    }
    if (this.#over.signal.aborted || !this.#shown)
      throw new AgentUnavailableError(`the screen of ${this.#id} has ended`);
    const viewer = this.#shown.view();
    this.#viewers.add(viewer);
    viewer.on('error', () => {});
    viewer.once('close', () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size + this.#coming === 0) this.end();
    });
    return viewer;
  }

  /** To be called with the guest when it is on: at the console of another run than this nothing comes any more. */
  runs(instance: Instance): void {
    this.#seen = runOf(instance);
    if (this.#run !== this.#seen) this.#attachment?.close();
  }

  /** Ends it for all viewers. */
  end(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#parts.over();
    this.#attachment?.close();
    for (const viewer of this.#viewers) viewer.destroy();
    this.#shown?.close();
  }

  async #begin(): Promise<void> {
    const instance = await this.#parts.find();
    if (!instance || !isOn(instance)) throw new AgentUnavailableError(`${this.#id} is off`);
    if (this.#over.signal.aborted) return;
    this.#shown = this.#parts.show(instance, () => this.end());
    try {
      await this.#attach(instance, true);
    } catch (error) {
      if (!(error instanceof IncusError)) throw error;
      throw new AgentUnavailableError(`the screen of ${this.#id} cannot be reached: ${error.message}`, {
        cause: error,
      });
    }
    void this.#follow();
  }

  /** Shows what the guest shows from now on. */
  async #attach(instance: Instance, force: boolean): Promise<void> {
    this.#seen = undefined;
    const attachment = await this.#shown!.attach(instance, force);
    this.#attachment = attachment;
    this.#run = runOf(instance);
    if (this.#over.signal.aborted || (this.#seen !== undefined && this.#seen !== this.#run))
      attachment.close();
  }

  /** Attaches again whenever the attachment has ended and the guest has not. */
  async #follow(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await aborted(this.#attachment!.signal);
      if (!this.#over.signal.aborted && !(await this.#again())) this.end();
    }
  }

  /** Whether it is attached again. In the same run another may have taken the console, from whom it is not taken back. */
  async #again(): Promise<boolean> {
    const { clock, find } = this.#parts;
    const end = clock.now().getTime() + AWAY_MS;
    let taken = 0;
    while (clock.now().getTime() < end && taken < MAX_TAKEN) {
      // Before the first look, too: another that takes the console has it by then.
      await clock.sleep(LOOK_EVERY_MS, this.#over.signal).catch(() => {});
      if (this.#over.signal.aborted) return false;
      try {
        const instance = await find();
        if (!instance) return false;
        if (isOn(instance)) {
          await this.#attach(instance, runOf(instance) !== this.#run);
          return true;
        }
      } catch (error) {
        if (error instanceof IncusError && TAKEN.test(error.message)) taken++;
      }
    }
    return false;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
