import type { Client } from 'ssh2';

/** The run's one connection to the guest: made when it is first needed, and again where it was lost. */
export class SshConnection {
  readonly #connect: (signal: AbortSignal) => Promise<Client>;
  readonly #signal: AbortSignal;
  #client: Client | undefined;

  /** `signal` ends a log-in that is under way, never a connection that a command is using. */
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

  /** The signal given to a log-in lives on in the connection, so it gets one that ends with the log-in. */
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
