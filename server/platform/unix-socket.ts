import { connect, type Socket } from 'node:net';

/** A connection to a unix socket; rejects when nothing listens there. Its errors end nothing but itself. */
export function connectUnix(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    // Kept: without a listener an error between two steps of a caller would end the process.
    socket.on('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}
