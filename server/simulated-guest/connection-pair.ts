import { Duplex } from 'node:stream';

/**
 * One end of a connection inside the process. Unlike `duplexPair` of Node it hands bytes over only after the
 * writer's turn, as a socket does (SSH peers that answer within each other's calls lose count of the handshake),
 * and an end that is destroyed takes the other with it.
 */
class End extends Duplex {
  other: End | undefined;
  #taken: (() => void) | undefined;

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    process.nextTick(() => this.other!.#take(bytes, done));
  }

  override _final(done: () => void): void {
    process.nextTick(() => {
      this.other!.push(null);
      done();
    });
  }

  override _read(): void {
    this.#release();
  }

  /** Takes what the other end wrote; `done` waits until there is room, which is the writer's back-pressure. */
  #take(bytes: Buffer, done: () => void): void {
    if (this.destroyed || this.push(bytes)) done();
    else this.#taken = done;
  }

  #release(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#release();
    const inOrder = !error && this.writableFinished && this.readableEnded;
    if (!inOrder) process.nextTick(() => this.other!.destroy());
    done(error);
  }
}

/** Both ends of a connection. */
export function connectionPair(): [client: Duplex, server: Duplex] {
  const client = new End();
  const server = new End();
  client.other = server;
  server.other = client;
  return [client, server];
}
