import type { Writable } from 'node:stream';
import { BrokenPipe, type Sink } from '../shell/pipe.ts';

/** Wraps a stream as a sink. A write resolves when the stream has taken the bytes and fails once it is closed. */
export function sinkOf(stream: Writable): Sink {
  const waiting = new Set<(error: Error) => void>();
  stream.once('close', () => {
    for (const fail of waiting) fail(new BrokenPipe('the client has gone'));
  });
  return {
    write(bytes) {
      if (stream.destroyed || !stream.writable) return Promise.reject(new BrokenPipe('the client has gone'));
      return new Promise((resolve, reject) => {
        waiting.add(reject);
        stream.write(bytes, (error) => {
          waiting.delete(reject);
          if (error) reject(new BrokenPipe(error.message));
          else resolve();
        });
      });
    },
  };
}
