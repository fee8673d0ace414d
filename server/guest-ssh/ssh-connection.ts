import type { Client } from 'ssh2';

/** A run's connection to the guest: created when first needed, and again if it was lost. */
export class SshConnection {
  readonly #connect: (signal: AbortSignal) => Promise<Client>;
  readonly #signal: AbortSignal;
  #client: Client | undefined;

  /** `signal` ends a login in progress, never a connection that a command is using. */
  constructor(connect: (signal: AbortSignal) => Promise<Client>, signal: AbortSignal) {
    this.#connect = connect;
    this.#signal = signal;
  }

  async client(): Promise<Client> {
    if (this.#client) return this.#client;
    const client = await this.#logIn();
    client.once('close', () => {
      if (this.#client === client) this.#client = undefined;
    });
    this.#client = client;
    return client;
  }

  close(): void {
    this.#client?.end();
    this.#client = undefined;
  }

  /**
   * A signal given to a login stays in use by the connection, so the login gets a separate one that no longer aborts
   * afterwards.
   */
  async #logIn(): Promise<Client> {
    this.#signal.throwIfAborted();
    const login = new AbortController();
    const giveUp = () => login.abort(this.#signal.reason);
    this.#signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await this.#connect(login.signal);
    } finally {
      this.#signal.removeEventListener('abort', giveUp);
    }
  }
}
