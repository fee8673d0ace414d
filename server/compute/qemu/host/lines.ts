import type { Socket } from 'node:net';

/** The rules of all guests of a large host; a message beyond it ends the connection. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const LINE_END = 10;

/** Calls `onMessage` for each line of JSON; destroys the socket when one is too long or is none. */
export function readMessages(
  socket: Socket,
  onMessage: (message: unknown) => void,
  max = MAX_MESSAGE_BYTES,
): void {
  let parts: Buffer[] = [];
  let length = 0;
  socket.on('data', (bytes: Buffer) => {
    let rest = bytes;
    for (let end = rest.indexOf(LINE_END); end >= 0; end = rest.indexOf(LINE_END)) {
      if (length + end > max) break;
      const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString();
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      try {
        onMessage(JSON.parse(line));
      } catch {
        socket.destroy(new Error('a message is not JSON'));
        return;
      }
    }
    parts.push(rest);
    length += rest.length;
    if (length > max) socket.destroy(new Error('a message is too long'));
  });
}
