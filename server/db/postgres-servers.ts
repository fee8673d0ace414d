import { DatabaseAwayError } from './away.ts';
import { Connection } from './postgres-connection.ts';

/**
 * The servers that may have the database. Only one at a time takes writes. It is found by asking each, starting with
 * the last known one; after a failover it is another.
 */
export class PostgresServers {
  readonly #servers: readonly string[];
  #last = 0;

  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  /**
   * Connects to the server that takes writes. If none does, throws the {@link DatabaseAwayError} of the last one tried.
   */
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
