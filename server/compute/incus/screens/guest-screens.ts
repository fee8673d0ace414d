import type { Duplex } from 'node:stream';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logging.ts';
import { type Instance, idOf, nameOf } from '../instance.ts';
import type { Instances } from '../instances.ts';
import type { Members } from '../members.ts';
import { GuestScreen } from './guest-screen.ts';
import { Past } from './past.ts';
import { Screens } from './screens.ts';
import { kindOf, type Shown } from './shown.ts';
import { ShownGraphics } from './shown-graphics.ts';
import { ShownText } from './shown-text.ts';

export interface GuestScreensParts {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  members: Members;
  instances: Instances;
}

/** All guest screens that have viewers on this node. */
export class GuestScreens {
  readonly #parts: GuestScreensParts;
  readonly #screens: Screens;
  readonly #past = new Past();
  readonly #open = new Map<string, GuestScreen>();
  /** Guests that are being rebooted from here, whose power-off must not end the screen. */
  readonly #rebooting = new Set<string>();

  constructor(parts: GuestScreensParts) {
    this.#parts = parts;
    this.#screens = new Screens(parts.logger);
  }

  /**
   * Returns a connection to a guest's screen, which speaks RFB from its first byte. Throws `AgentUnavailableError` if
   * the guest is off.
   */
  view(id: string): Promise<Duplex> {
    return (this.#open.get(id) ?? this.#begin(id)).view();
  }

  /** Called once a guest is off. */
  end(id: string): void {
    if (!this.#rebooting.has(id)) this.#open.get(id)?.end();
  }

  /** Called with each guest that is seen to be on. */
  runs(instance: Instance): void {
    this.#open.get(idOf(instance))?.runs(instance);
  }

  /** Keeps a guest's viewers connected while `work` reboots it. */
  async over<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#rebooting.add(id);
    try {
      return await work();
    } finally {
      this.#rebooting.delete(id);
    }
  }

  async close(): Promise<void> {
    for (const screen of [...this.#open.values()]) screen.end();
    await this.#screens.close();
  }

  #begin(id: string): GuestScreen {
    const { clock, instances } = this.#parts;
    const screen = new GuestScreen(id, {
      clock,
      show: (instance, end) => this.#show(id, instance, end),
      find: () => instances.find(nameOf(id)),
      over: () => {
        if (this.#open.get(id) === screen) this.#open.delete(id);
      },
    });
    this.#open.set(id, screen);
    return screen;
  }

  #show(id: string, instance: Instance, end: () => void): Shown {
    const parts = { ...this.#parts, screens: this.#screens, past: this.#past };
    return kindOf(instance) === 'text' ? new ShownText(id, parts) : new ShownGraphics(id, parts, end);
  }
}
