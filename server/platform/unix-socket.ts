import { connect, type Socket } from 'node:net';

/** Connects to a Unix socket; rejects if nothing listens there. Later errors affect only the socket itself. */
export function connectUnix(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    // Never removed: without a listener, an error between two steps of a caller would end the process.
    socket.on('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}
