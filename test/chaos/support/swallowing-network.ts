import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';

/** A connection to a server on 127.0.0.1 that can silently stop carrying data, like a broken network. */
export interface Network {
  port: number;
  swallow(): void;
  /** Carries open connections again. If one side has given up in the meantime, the other side is reset. */
  carry(): void;
}

export async function startNetwork(t: TestContext, serverPort: number): Promise<Network> {
  const links = new Set<{ near: Socket; far: Socket }>();
  let swallowing = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true });
    const link = { near, far };
    links.add(link);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => void to.write(bytes));
      from.on('end', () => !swallowing && to.end());
      from.on('error', () => {});
      from.on('close', () => !swallowing && to.destroy());
      if (swallowing) from.pause();
    }
    near.on('close', () => far.destroyed && links.delete(link));
    far.on('close', () => near.destroyed && links.delete(link));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => {
    for (const { near, far } of links) {
      near.destroy();
      far.destroy();
    }
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    swallow() {
      swallowing = true;
      for (const { near, far } of links) {
        near.pause();
        far.pause();
      }
    },
    carry() {
      swallowing = false;
      for (const { near, far } of links) {
        if (near.destroyed) far.destroy();
        if (far.destroyed) near.destroy();
        // An end of stream that arrived before its side was paused was swallowed, and comes only once.
        if (near.readableEnded) far.end();
        if (far.readableEnded) near.end();
        near.resume();
        far.resume();
      }
    },
  };
}
