import { PeerError } from './peer-error.ts';

/** A body that arrives in chunks. */
export type Body = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads a peer's whole body. Throws {@link PeerError} as soon as it exceeds `maxBytes`. */
export async function readBody(body: Body, peer: string, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of boundedBody(body, peer, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Passes a body on as it arrives. Throws {@link PeerError} as soon as it exceeds `maxBytes`. */
export async function* boundedBody(body: Body, peer: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new PeerError(peer, `sent more than ${maxBytes} bytes`);
    yield chunk;
  }
}

/** Does the same for a web stream. */
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
