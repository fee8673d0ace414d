// Connects from the namespace of this process to an address, relaying standard input and output: relay.ts HOST PORT
import { connect } from 'node:net';

const [host, port] = process.argv.slice(2);
const socket = connect({ host, port: Number(port) });
socket.on('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('close', () => process.exit(0));
