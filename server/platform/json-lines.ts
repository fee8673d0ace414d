import { connect, type Socket } from 'node:net';

/** A longer line is no answer to anything the driver asks; a guest must not fill the service's memory. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const LINE_END = 10;

/** A connection to a unix socket; rejects when nothing listens there. */
export function connectUnix(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Calls `onLine` for each line that arrives, without its end; destroys the socket when one is longer than `max` bytes. */
export function readLines(socket: Socket, onLine: (line: Buffer) => void, max = MAX_LINE_BYTES): void {
  let parts: Buffer[] = [];
  let length = 0;
  socket.on('data', (bytes: Buffer) => {
    let rest = bytes;
    for (let end = rest.indexOf(LINE_END); end >= 0; end = rest.indexOf(LINE_END)) {
      if (length + end > max) break;
      onLine(Buffer.concat([...parts, rest.subarray(0, end)]));
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      // The reader may have stopped.
      if (socket.destroyed) return;
    }
    parts.push(rest);
    length += rest.length;
    if (length > max) socket.destroy(new Error('a line is too long'));
  });
}
