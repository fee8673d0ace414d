import { PeerError } from './peer-error.ts';

/** What comes in pieces. */
export type Body = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads a peer's body to its end. Throws {@link PeerError} as soon as it has more than `maxBytes`. */
export async function readBody(body: Body, peer: string, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of boundedBody(body, peer, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Passes a body on as it comes, and throws {@link PeerError} as soon as it has more than `maxBytes`. */
export async function* boundedBody(body: Body, peer: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new PeerError(peer, `sent more than ${maxBytes} bytes`);
    yield chunk;
  }
}

/** The same for a web stream. */
export function boundedStream(peer: string, maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > maxBytes) throw new PeerError(peer, `sent more than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}
