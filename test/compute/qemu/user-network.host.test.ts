import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { inGuest } from './shell.ts';
import { boot, qemuFor, tinySpec } from './support.ts';

const image = (await tinyImage())!;
const skip = await skipWithoutTinyImage();

test("a guest of the user network is reached, and reaches none of the host's own services", {
  skip,
}, async (t) => {
  const arrivals: string[] = [];
  const service = createServer((socket) => {
    arrivals.push(socket.localAddress!);
    socket.end('HTTP/1.0 200 OK\r\n\r\nhealthy');
  }).listen(0, '0.0.0.0');
  await once(service, 'listening');
  defer(t, () => void service.close());
  const { port } = service.address() as AddressInfo;
  const { driver, directory } = qemuFor(t, image);
  const key = freshKeyPair('test');
  const spec = tinySpec({ authorizedKeys: [key.public] });
  await driver.create(spec);
  await boot(driver, spec.id);

  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const { address } = own.find(({ family, internal }) => family === 'IPv4' && !internal) ?? {};
  // QEMU's virtual gateway and resolver could each be a path to the host's 127.0.0.1; the host's own address is tried
  // too.
  const hosts = new Set([spec.addresses[0]!.gateway, '192.0.2.3', ...(address ? [address] : [])]);
  const dial = (host: string) => `(nc -w 3 ${host} ${port} </dev/null; echo "${host} $?") &`;
  const said = await inGuest(
    driver,
    spec.id,
    { privateKey: key.private },
    `nc -w 3 127.0.0.1 22 </dev/null; echo; ${[...hosts].map(dial).join(' ')} wait`,
  );
  assert.match(said, /^SSH-/, 'what it tries with does work');
  for (const host of hosts) assert.match(said, new RegExp(`^${host.replaceAll('.', '\\.')} 1$`, 'm'), said);
  assert.doesNotMatch(said, /healthy/);
  assert.deepEqual(arrivals, []);

  // If the host runs out of memory, the guest is killed before the service, which serves all guests.
  const pid = Number(await readFile(join(directory, spec.id, 'qemu.pid'), 'utf8'));
  assert.equal((await readFile(`/proc/${pid}/oom_score_adj`, 'utf8')).trim(), '500');
});
