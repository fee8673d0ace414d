import xterm from '@xterm/headless';
import { COLUMNS, Picture, ROWS } from '../../../../screens/text-console/picture.ts';
import type { TextConsole } from '../../../../screens/text-console/text-screen.ts';
import { greeting, interact } from '../shell/interact.ts';
import { Shell } from '../shell/shell.ts';
import { Terminal } from '../shell/terminal.ts';
import { hasPassword } from '../ssh/authentication.ts';
import { kernelLines } from '../system/journal.ts';
import { recordLogin } from '../system/logins.ts';
import type { System } from '../system/system.ts';
import { unitsOf } from '../system/units.ts';

const WRONG_PASSWORD_MS = 2_000;
const RETRY_MS = 1_000;
const TTY = 'tty1';

/** A guest's text console: boot messages, a login, a shell. All its viewers see the same. */
export class Console implements TextConsole {
  readonly #system: System;
  readonly #outer: AbortSignal;
  readonly #screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 0, allowProposedApi: true });
  readonly #watchers = new Set<() => void>();
  #terminal: Terminal | undefined;
  #boot = new AbortController();
  #bootFrom: number | undefined;
  /** A user is logged in. */
  busy = false;

  /** The console lives until `signal` aborts. */
  constructor(system: System, signal: AbortSignal) {
    this.#system = system;
    this.#outer = signal;
    this.#bootFrom = system.guest.run?.bootFrom;
    this.#live();
  }

  get name(): string {
    return this.#system.guest.hostname;
  }

  get applicationCursorKeys(): boolean {
    return this.#screen.modes.applicationCursorKeysMode;
  }

  picture(): Picture {
    return new Picture(this.#screen);
  }

  async draw<T>(work: () => T): Promise<T> {
    return work();
  }

  type(text: string): void {
    if (text) this.#terminal?.input(Buffer.from(text));
  }

  /** Calls `changed` whenever the picture may have changed, until the returned function is called. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** Called with the start of the guest's latest boot. If that is a new boot, the screen is cleared and starts over. */
  booted(from: number): void {
    if (from === this.#bootFrom || this.#system.now() < from) return;
    this.#bootFrom = from;
    this.#boot.abort();
  }

  async #live(): Promise<void> {
    while (!this.#outer.aborted) {
      this.#boot = new AbortController();
      const signal = AbortSignal.any([this.#outer, this.#boot.signal]);
      try {
        await this.#oneBoot(signal);
      } catch {
        // The database is unavailable; the login starts again when it is back.
        if (!signal.aborted) await this.#system.clock.sleep(RETRY_MS, this.#outer).catch(() => {});
      }
    }
    this.#screen.dispose();
  }

  async #oneBoot(signal: AbortSignal): Promise<void> {
    const terminal = new Terminal((bytes) => this.#show(bytes));
    terminal.resize(COLUMNS, ROWS);
    signal.addEventListener('abort', () => terminal.close(), { once: true });
    this.#terminal = terminal;
    await terminal.print('\x1bc');
    await this.#system.refresh();
    await this.#bootMessages(terminal, signal);
    while (!signal.aborted) await this.#login(terminal, signal);
  }

  #show(bytes: Buffer): Promise<void> {
    if (this.#outer.aborted) return Promise.resolve();
    return new Promise((resolve) =>
      this.#screen.write(bytes, () => {
        resolve();
        for (const changed of this.#watchers) changed();
      }),
    );
  }

  /** Prints each message when it is due. For a guest that already runs, prints all of them. */
  async #bootMessages(terminal: Terminal, signal: AbortSignal): Promise<void> {
    const system = this.#system;
    const { run } = system.guest;
    const from = run?.bootFrom ?? system.now();
    const length = (run?.bootUntil ?? from) - from;
    const kernel = kernelLines(system).map(
      ({ seconds, text }) => `[${seconds.toFixed(6).padStart(12)}] ${text}`,
    );
    const units = unitsOf(system).map(
      (unit) => `[  \x1b[32mOK\x1b[m  ] Started ${unit.name}.service - ${unit.description}.`,
    );
    const lines = [...kernel, ...units];
    for (const [index, line] of lines.entries()) {
      const wait = from + (length * (index + 1)) / (lines.length + 1) - system.now();
      if (wait > 0) await system.clock.sleep(wait, signal);
      await terminal.print(`${line}\n`);
    }
    const left = from + length - system.now();
    if (left > 0) await system.clock.sleep(left, signal);
  }

  async #login(terminal: Terminal, signal: AbortSignal): Promise<void> {
    const system = this.#system;
    const { name, version } = system.distribution;
    await terminal.print(`\n${name} ${version} ${system.guest.hostname} ${TTY}\n\n`);
    const user = await terminal.readLine(`${system.guest.hostname} login: `);
    if (!user?.trim()) return this.#pause(signal);
    const password = await terminal.readLine('Password: ', { echo: false });
    await system.refresh();
    if (password === undefined || !hasPassword(system.guest, user.trim(), password)) {
      await system.clock.sleep(WRONG_PASSWORD_MS, signal);
      return terminal.print('\nLogin incorrect\n');
    }
    const login = await recordLogin(system, user.trim(), 'console', TTY);
    this.busy = true;
    try {
      const shell = new Shell({ system, user: user.trim(), terminal, tty: TTY, env: { TERM: 'linux' } });
      await terminal.print(greeting(shell));
      await interact(shell, terminal, signal);
      await terminal.print('\x1bc');
    } finally {
      this.busy = false;
      await login.end();
    }
  }

  /** Yields, because a closed terminal returns lines immediately and would otherwise block everything else. */
  async #pause(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await new Promise(setImmediate);
  }
}
