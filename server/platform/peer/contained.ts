import type { Readable } from 'node:stream';
import { PeerError } from './peer-error.ts';

/**
 * Returns an event handler that never throws, because an exception in an event handler would end the process. Instead,
 * `end` is called with the error and should close the connection to the peer.
 */
export function contained<Given extends unknown[]>(
  handle: (...given: Given) => void,
  end: (error: Error) => void,
): (...given: Given) => void {
  return (...given) => {
    try {
      handle(...given);
    } catch (error) {
      end(error as Error);
    }
  };
}

/**
 * Calls `onData` for each chunk of a peer's stream. If that throws, the stream is destroyed; errors affect nothing but
 * the stream itself.
 */
export function readChunks<Chunk>(stream: Readable, peer: string, onData: (chunk: Chunk) => void): void {
  stream.on('error', () => {});
  const end = (error: Error) => {
    stream.destroy(error instanceof PeerError ? error : new PeerError(peer, error.message, { cause: error }));
  };
  stream.on('data', contained(onData, end));
}
