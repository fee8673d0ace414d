import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { reachGuestSocket } from './guest-file.ts';

/** More than a unix socket buffers, so that one read takes everything. Pages that are never read into use no memory. */
const READ_BYTES = 256 * 1024;

/**
 * Connects to a guest's screen at a unix socket. Rejects if nothing listens there. Full pictures take many megabytes,
 * and with a new buffer for each read the service spent a quarter of its time on garbage collection. So all reads share
 * one buffer: a chunk is valid only until its handler returns, or as long as the reader pauses the stream.
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
  // Do not read before there is a listener.
  socket.pause();
  let paused = false;
  const stream = new Duplex({
    read() {
      // The stream reads ahead even while its reader has paused it.
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
