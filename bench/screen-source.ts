// A screen that always responds immediately: answers each update request as an otherwise idle QEMU does. Stands for a
// guest's VNC server; its argument is the path of the Unix socket to listen on.
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
