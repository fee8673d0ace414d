import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { newCustomer } from '../chaos/support/customer.ts';
import { startService } from '../support/service.ts';
import { bytesOf, open } from './support/socket.ts';

const MIB = 1024 * 1024;
const SIZE = 100 * MIB;
/**
 * Covers the windows of four SSH endpoints and uncollected garbage. A transfer held in memory would take all of SIZE.
 */
const GROWTH = 80 * MIB;
/** Bytes to transfer before measuring. */
const WARM_UP = 20 * MIB;
/** Bytes transferred between two measurements. */
const LOOK_EVERY = 5 * MIB;

/** Returns the resident memory of a process in bytes. */
function residentOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}

/** A guest of the engine, reached through the service as customers reach it. */
test('an SSH client of one’s own works in the guest, and ends with it', async (t) => {
  const service = await startService(t, { env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' } });
  const customer = await newCustomer(service);
  const password = 'correct-horse';
  const order = { plan: 's1', template: 'debian-12', hostname: 'web', password };
  const { vm } = await customer.ask('POST', '/v1/vm', order);
  await customer.settled(vm.id);
  const token = async (protocol: string) => {
    const { ws_url, token } = await customer.ask('POST', `/v1/vm/${vm.id}/ssh-token`, { cols: 90, rows: 20 });
    return open(t, ws_url, { protocols: [protocol, token] });
  };
  const socket = await token('vauban.ssh.raw');
  const client = new ssh2.Client();
  client.on('error', () => {});
  client.connect({ sock: bytesOf(socket), username: 'debian', password });
  await once(client, 'ready');
  const exec = promisify<string, ssh2.ClientChannel>(client.exec.bind(client));

  await t.test('it resizes, and runs a full-screen program', async () => {
    const shell = await new Promise<ssh2.ClientChannel>((resolve, reject) => {
      client.shell({ cols: 90, rows: 20 }, (error, channel) => (error ? reject(error) : resolve(channel)));
    });
    let screen = '';
    let look = () => {};
    shell.on('data', (data: Buffer) => {
      screen += data;
      look();
    });
    const shows = async (words: string) => {
      while (!screen.includes(words)) {
        await new Promise<void>((resolve) => {
          look = resolve;
        });
      }
    };
    await shows('debian@web:~$');
    shell.write('stty size\r');
    await shows('20 90');
    shell.setWindow(50, 132, 0, 0);
    shell.write('stty size\r');
    await shows('50 132');
    shell.write('top\r');
    await shows('\x1b[?1049h');
    await shows('load average');
    shell.write('q');
    await shows('\x1b[?1049l');
    shell.end();
  });

  await t.test('100 MB go in and out, and the service does not grow', async () => {
    const growth: number[] = [];
    let before = 0;
    const look = (done: number, bytes: number) => {
      if (done % LOOK_EVERY < bytes) growth.push(residentOf(service.pid) - before);
    };
    const up = await exec('cat > /tmp/big');
    up.resume();
    const piece = Buffer.alloc(MIB / 4, 'x');
    for (let sent = 0; sent < SIZE; sent += piece.length) {
      // By now the code is compiled and the heap has reached its size.
      if (sent === WARM_UP) before = residentOf(service.pid);
      await new Promise<void>((resolve) => up.write(piece, () => resolve()));
      if (sent > WARM_UP) look(sent, piece.length);
    }
    up.end();
    await once(up, 'close');
    const down = await exec('cat /tmp/big');
    let received = 0;
    for await (const bytes of down as AsyncIterable<Buffer>) {
      received += bytes.length;
      look(received, bytes.length);
    }
    assert.equal(received, SIZE);
    // The collector may free buffers at any time: memory held permanently shows in the lowest of the late samples.
    const late = Math.min(...growth.slice(-10));
    t.diagnostic(`${Math.round(late / MIB)} MiB more, ${Math.round(Math.max(...growth) / MIB)} at the most`);
    assert.ok(late < GROWTH, `${Math.round(late / MIB)} MiB more`);
  });

  await t.test('power off, and the deletion of the VM, end every console', async () => {
    const terminal = await token('vauban.ssh');
    await terminal.says('debian@web:~$');
    await customer.ask('POST', `/v1/vm/${vm.id}/force-stop`, {});
    assert.deepEqual([(await terminal.closed).code, (await socket.closed).code], [4001, 4001]);
    await customer.settled(vm.id);
    await customer.ask('POST', `/v1/vm/${vm.id}/start`, {});
    await customer.settled(vm.id);
    const { ws_url, ticket } = await customer.ask('GET', `/v1/vm/${vm.id}/console`);
    const screen = await open(t, ws_url, { protocols: ['binary', ticket] });
    await screen.says('RFB');
    await customer.ask('DELETE', `/v1/vm/${vm.id}`);
    assert.equal((await screen.closed).code, 4001);
  });
});
