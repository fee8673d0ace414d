import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { reachGuestSocket } from './guest-file.ts';

/** More than a unix socket holds, so that one read takes all. Memory that was never read into costs nothing. */
const READ_BYTES = 256 * 1024;

/**
 * The screen of a guest at a unix socket; rejects when nothing listens there. Whole pictures are many megabytes, and
 * new memory for each read kept the service collecting it for a quarter of its time. So everything is read into the same
 * memory: a chunk is its reader's until its handler returns, and while it pauses the stream.
 */
export function connectScreen(path: string): Promise<Duplex> {
  return reachGuestSocket(path, connectTo);
}

async function connectTo(path: string): Promise<Duplex> {
  const onread = {
    buffer: Buffer.allocUnsafeSlow(READ_BYTES),
    callback(length: number, memory: Uint8Array): boolean {
      stream.push(Buffer.from(memory.buffer, memory.byteOffset, length));
      return stream.readableFlowing === true;
    },
  };
  const socket = connect({ path, onread });
  // Nothing is read before there is a listener.
  socket.pause();
  let paused = false;
  const stream = new Duplex({
    read() {
      // The stream asks ahead, also while its reader pauses it.
      if (!paused) socket.resume();
    },
    write: (chunk, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  stream.on('resume', () => {
    paused = false;
    socket.resume();
  });
  stream.on('pause', () => {
    paused = true;
    socket.pause();
  });
  socket.on('error', (error) => stream.destroy(error));
  socket.on('end', () => stream.push(null));
  socket.on('close', () => stream.destroy());
  return stream;
}
