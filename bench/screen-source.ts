// A screen that is always there at once: answers each request for an update as QEMU does that has nothing else to do.
// Started with the path of the Unix socket to listen at; stands for a guest's VNC server.
import { createServer } from 'node:net';
import { FRAME, REQUEST_BYTES, SMALL_UPDATE } from './screen.ts';

const INCREMENTAL_AT = 1;

const server = createServer((socket) => {
  let asked: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    asked = Buffer.concat([asked, bytes]);
    while (asked.length >= REQUEST_BYTES) {
      socket.write(asked[INCREMENTAL_AT] ? SMALL_UPDATE : FRAME);
      asked = asked.subarray(REQUEST_BYTES);
    }
  });
});
server.listen(process.argv[2], () => process.send!('listening'));
process.once('disconnect', () => process.exit());
