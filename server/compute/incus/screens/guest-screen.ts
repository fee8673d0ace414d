import type { Duplex } from 'node:stream';
import type { Clock } from '../../../platform/clock.ts';
import { AgentUnavailableError } from '../../driver.ts';
import { IncusError } from '../client.ts';
import { type Instance, isOn, runOf } from '../instance.ts';
import type { Attachment } from './attachment.ts';
import type { Shown } from './shown.ts';

export interface GuestScreenParts {
  clock: Clock;
  /**
   * Opens the picture of this guest. `end` ends the screen if the guest's output cannot be shown. Throws the same
   * errors as drivers.
   */
  show(instance: Instance, end: () => void): Shown;
  /** Returns the guest's instance as it is now, or undefined if it does not exist. Throws if it cannot be seen. */
  find(): Promise<Instance | undefined>;
  over(): void;
}

/** Maximum number of connections to one guest's screen on this node; more would be a leak in the caller. */
const MAX_VIEWERS = 64;
/** Maximum time between the end of a guest's console and its return: a reboot, or the restart of a member's daemon. */
const AWAY_MS = 10_000;
const LOOK_EVERY_MS = 500;

const TAKEN = /already connected/;
/**
 * Number of times Incus may say that the console is in use before we believe it. The first answers may be about our own
 * attachment, which is just ending.
 */
const MAX_TAKEN = 3;

/**
 * The screen of one guest and all its viewers on this node, who share one attachment to its console. It survives
 * reboots. It ends when the guest is switched off, when its last viewer leaves, or when another node takes the console
 * over.
 */
export class GuestScreen {
  readonly #parts: GuestScreenParts;
  readonly #id: string;
  readonly #over = new AbortController();
  readonly #viewers = new Set<Duplex>();
  readonly #attached: Promise<void>;
  /** Number of viewers that are waiting for the attachment. */
  #coming = 0;
  #shown: Shown | undefined;
  #attachment: Attachment | undefined;
  /** The guest's run that the attachment belongs to, and the last run the guest was seen in since then. */
  #run: string | undefined;
  #seen: string | undefined;

  constructor(id: string, parts: GuestScreenParts) {
    this.#id = id;
    this.#parts = parts;
    this.#attached = this.#begin();
  }

  /**
   * Returns a viewer's connection. Throws {@link AgentUnavailableError} if the guest is off, and the same errors as
   * members.
   */
  async view(): Promise<Duplex> {
    if (this.#viewers.size + this.#coming >= MAX_VIEWERS)
      throw new AgentUnavailableError(`the screen of ${this.#id} has too many viewers`);
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
      throw new AgentUnavailableError(`the screen of ${this.#id} was closed`);
    const viewer = this.#shown.view();
    this.#viewers.add(viewer);
    viewer.on('error', () => {});
    viewer.once('close', () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size + this.#coming === 0) this.end();
    });
    return viewer;
  }

  /**
   * Called with the guest whenever it is seen to be on. If its run has changed, the attachment is closed: the old
   * console no longer delivers anything.
   */
  runs(instance: Instance): void {
    this.#seen = runOf(instance);
    if (this.#run !== this.#seen) this.#attachment?.close();
  }

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

  async #attach(instance: Instance, force: boolean): Promise<void> {
    this.#seen = undefined;
    const attachment = await this.#shown!.attach(instance, force);
    this.#attachment = attachment;
    this.#run = runOf(instance);
    if (this.#over.signal.aborted || (this.#seen !== undefined && this.#seen !== this.#run))
      attachment.close();
  }

  /** Attaches again whenever the attachment ends while the guest continues. */
  async #follow(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await aborted(this.#attachment!.signal);
      if (!this.#over.signal.aborted && !(await this.#again())) this.end();
    }
  }

  /**
   * Returns whether it could attach again. If the guest is still in the same run, another client may have taken the
   * console, and then it is not forced back.
   */
  async #again(): Promise<boolean> {
    const { clock, find } = this.#parts;
    const end = clock.now().getTime() + AWAY_MS;
    let taken = 0;
    while (clock.now().getTime() < end && taken < MAX_TAKEN) {
      // Wait before the first attempt too: by then, another client that takes the console will have it.
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
