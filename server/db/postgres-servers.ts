import { DatabaseAwayError } from './away.ts';
import { Connection } from './postgres-connection.ts';

/**
 * The servers that may have the database, of which one at a time takes writes. Which one is found by asking, the one that
 * was it last first: after a failover the others.
 */
export class PostgresServers {
  readonly #servers: readonly string[];
  #last = 0;

  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  /** Connects to the one that takes writes; {@link DatabaseAwayError} of the last one that was asked where none does. */
  async open(signal?: AbortSignal): Promise<Connection> {
    const first = this.#last;
    let refusal: unknown;
    for (let n = 0; n < this.#servers.length; n++) {
      const index = (first + n) % this.#servers.length;
      try {
        const connection = await Connection.open(this.#servers[index]!, signal);
        this.#last = index;
        return connection;
      } catch (error) {
        if (!(error instanceof DatabaseAwayError) || signal?.aborted) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }
}
