import { Duplex } from 'node:stream';

/**
 * One end of a connection inside the process. Unlike Node's `duplexPair`, it delivers bytes only after the writer's
 * turn, as a socket does: SSH peers that answer within each other's calls lose track of the handshake. Destroying one
 * end destroys the other.
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

  /** Takes bytes from the other end. Delays `done` until there is space, which applies backpressure to the writer. */
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

export function connectionPair(): [client: Duplex, server: Duplex] {
  const client = new End();
  const server = new End();
  client.other = server;
  server.other = client;
  return [client, server];
}
