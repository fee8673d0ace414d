import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { SdkModel } from '../../server/agent/sdk-model.ts';
import { IncusClient } from '../../server/compute/incus/client.ts';
import { runAsUser } from '../../server/compute/inside/ops-login.ts';
import { openSsh } from '../../server/compute/inside/ssh.ts';
import { askAgent } from '../../server/compute/qemu/guest/guest-agent.ts';
import { HostClient } from '../../server/compute/qemu/host/client.ts';
import { Monitor } from '../../server/compute/qemu/process/qmp.ts';
import { FlowSource } from '../../server/edge/flows/flow-source.ts';
import { Gobgp } from '../../server/edge/flowspec/gobgp.ts';
import { smtpTransport } from '../../server/mail/transport.ts';
import { StripeApi } from '../../server/payments/stripe/api.ts';
import type { Clock } from '../../server/platform/clock.ts';
import { changeReader, listen } from '../../server/platform/nftables/changes.ts';
import { makePipe } from '../edge/support/pipe.ts';
import { defer } from '../support/cleanup.ts';
import { depth } from '../support/depth.ts';
import { freshCertificate } from '../support/incus/identity.ts';
import { RunningClock } from '../support/running-clock.ts';
import {
  type BadServer,
  catchStrays,
  MANNERS,
  type Manner,
  outOfTime,
  type Protocol,
  startBadServer,
  withoutPauses,
} from './manners.ts';

/** Memory that the kernel uses for a connection in addition to the reader's. */
const KERNEL_BYTES = 16 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

interface Peer {
  name: string;
  at: 'port' | 'path';
  protocol: Protocol;
  /** The most bytes that the service may take from the peer. */
  mostBytes: number;
  /** Sends the peer a request; nothing of it stays open afterwards. */
  ask(server: BadServer, clock: Clock, t: TestContext): Promise<unknown>;
  /** Step of the clock in milliseconds, if only a timeout ends the request. */
  stepMs?: number;
  /** The peer uses TLS. */
  encryption?: { cert: string; key: string };
  /** Manners that the protocol allows, so the service need not fail. */
  fine?: string[];
  /** Replies over HTTP, whose parsers skip empty lines before a reply: only a timeout ends those. */
  isHttp?: true;
  /** Manners for which its library takes ten seconds to give up: for the full tier. */
  slow?: string[];
  /** Its timeout is the library's, or uses the machine's own clock. */
  untimed?: true;
}

const http = (type: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n`;
const LYING_HTTP =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999999999999\r\n\r\n{"a":';

const directory = mkdtempSync(join(tmpdir(), 'p-'));
after(() => rmSync(directory, { recursive: true }));
const { certificate, key } = await freshCertificate(directory);
/** Also the service's own identity, because only the server's matters here. */
const IDENTITY = { certificate, key, serverCertificate: certificate };

async function askIncus({ port }: BadServer, clock: Clock): Promise<unknown> {
  const incus = new IncusClient(`https://127.0.0.1:${port}`, IDENTITY, clock);
  try {
    return await incus.ask('GET', '/1.0/instances?recursion=2');
  } finally {
    incus.close();
  }
}

/** Output after which the test stops a program that never ends. */
const ENOUGH_BYTES = MEGABYTE;
const ENDLESS = MANNERS.map(({ name }) => name).filter((name) => name.includes('endless'));
/** Endless lines, which a line reader may continue to read. */
const LINES = ENDLESS.filter((name) => !/line at once|zeros|answer$/.test(name));

/** Runs a program like `nft monitor` that writes the server's bytes. Ends with the program, or after enough lines. */
function watchTables({ port }: BadServer): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const reader = changeReader({
      tables: ['inet table'],
      signature: 'inet mark',
      onForeign() {},
      onLost() {},
    });
    const child = listen('bash', ['-c', `exec cat </dev/tcp/127.0.0.1/${port}`], {
      line(line) {
        reader(line);
        bytes += line.length + 1;
        if (bytes < ENOUGH_BYTES) return;
        resolve();
        child.kill('SIGKILL');
      },
      end: () => reject(new Error('what watches the tables has ended')),
    });
  });
}

const FLOW = {
  event_type: 'purge',
  ip_dst: '203.0.113.9',
  ip_proto: 'udp',
  port_src: 53,
  packets: 7,
  bytes: 700,
};

/** Writes the server's bytes to a collector's pipe. Whatever they were, the next flow must be counted. */
async function readFlows({ port }: BadServer, _: Clock, t: TestContext): Promise<void> {
  const clock = new RunningClock();
  const pipe = makePipe(t);
  const source = new FlowSource({ pipe, seconds: 1, clock });
  defer(t, () => source.close());
  source.targets.add('target', FLOW.ip_dst);
  const writer = createWriteStream(pipe);
  defer(t, () => void writer.destroy());
  const collector = connect(port, '127.0.0.1');
  collector.on('error', () => {});
  const over = new Promise((resolve) => collector.once('close', resolve));
  collector.on('data', (chunk) => {
    if (collector.bytesRead > ENOUGH_BYTES) collector.destroy();
    else if (!writer.write(chunk)) collector.pause();
  });
  writer.on('drain', () => collector.resume());
  await over;
  await new Promise((written) => {
    writer.write(`\n${JSON.stringify(FLOW)}\n{"event_type":"purge_close"}\n`, written);
  });
  for (let packets = 0; packets < FLOW.packets; ) {
    await new Promise(setImmediate);
    clock.advance(1_000);
    const { rows } = await source.readDetail(['target']);
    packets = rows[0]!.classes.udp.packets;
  }
}

const SKIPPED = 'sending endless empty lines at once';

const PEERS: Peer[] = [
  {
    name: "a guest's QEMU",
    at: 'path',
    protocol: {
      greeting: '{"QMP":{"version":{},"capabilities":[]}}\n',
      answer: '{"return":{},"id":1}\n',
      opening: '',
      lies: ['{"return":"', '9'.repeat(1_000)],
    },
    mostBytes: 9 * MEGABYTE,
    async ask({ path }, clock) {
      const monitor = await Monitor.connect(path, clock, ({ timestamp }) => void timestamp.seconds);
      try {
        await monitor.closed;
        return await monitor.execute('query-status');
      } finally {
        monitor.close();
      }
    },
  },
  {
    name: 'a guest agent',
    at: 'path',
    protocol: { greeting: '', answer: '{"return":7}\n', opening: '', lies: ['\xff\xff{"return":'] },
    mostBytes: 9 * MEGABYTE,
    ask: ({ path }, clock) => askAgent(clock, path, 'guest-ping'),
  },
  {
    name: 'a helper',
    at: 'path',
    protocol: { greeting: '', answer: '{"id":1,"result":', opening: '', lies: ['{"id":1e999}\n', '{"id":'] },
    mostBytes: 70 * MEGABYTE,
    async ask({ path }) {
      const helper = new HostClient(path, 2_000);
      try {
        return await helper.users();
      } finally {
        await helper.close();
      }
    },
    fine: ['sending members of other types'],
    untimed: true,
  },
  {
    name: 'what answers at port 22',
    at: 'port',
    protocol: { greeting: '', isUnasked: true, answer: 'not an SSH server', opening: '', lies: ['SSH'] },
    mostBytes: MEGABYTE,
    ask: ({ port }, clock) =>
      openSsh(clock, 'vm_1', async () => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      }),
  },
  {
    name: 'an SSH server',
    at: 'port',
    protocol: {
      greeting: 'SSH-2.0-OpenSSH_9.2\r\n',
      answer: 'SSH-2.0-bad\r\n',
      opening: '',
      lies: ['\xff\xff\xff\xff\x00\x14', '\x00\x00\x00\x05\xff\x14'],
    },
    mostBytes: 2 * MEGABYTE,
    async ask({ port }, clock) {
      const sock = await openSsh(clock, 'vm_1', async () => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      });
      return runAsUser(sock, 'root', async () => [], 'true', '', clock);
    },
  },
  {
    name: 'Stripe',
    isHttp: true,
    at: 'port',
    protocol: {
      greeting: '',
      answer: `${http('application/json')}{"id":"cs_1"`,
      opening: http('application/json'),
      lies: [LYING_HTTP],
    },
    mostBytes: MEGABYTE,
    ask: ({ port }) =>
      new StripeApi({ secretKey: 'sk_test', baseUrl: `http://127.0.0.1:${port}` }).get('/v1/x/y'),
    fine: [
      'sending an object without members',
      'sending members of other types',
      'sending an event without its members',
      'sending a refusal without words',
    ],
    untimed: true,
  },
  {
    name: 'a model',
    slow: [SKIPPED],
    isHttp: true,
    at: 'port',
    protocol: {
      greeting: '',
      answer: `${http('text/event-stream')}data: {"id":"c","choices":[{"index":0,"delta":{"content":"x`,
      opening: `${http('text/event-stream')}data: `,
      lies: [LYING_HTTP],
    },
    mostBytes: 3 * 9 * MEGABYTE,
    ask: ({ port }, clock) =>
      new SdkModel(
        {
          provider: 'openai-compatible',
          model: 'm',
          baseUrl: `http://127.0.0.1:${port}/v1`,
          apiKey: undefined,
        },
        clock,
      ).turn({
        conversation: [{ role: 'user', text: 'Hello' }],
        async onText() {},
        signal: new AbortController().signal,
      }),
  },
  {
    name: 'a mail server',
    slow: [SKIPPED, 'sending an endless answer', 'sending endless right answers'],
    at: 'port',
    protocol: {
      greeting: '220 mx.example ESMTP\r\n',
      answer: '250-mx.example\r\n',
      opening: '250-',
      lies: ['250-SIZE 99999999999999999999\r\n250-'],
    },
    mostBytes: 2 * MEGABYTE,
    async ask({ port }, clock) {
      const transport = smtpTransport(
        { host: '127.0.0.1', port, tls: 'off', user: '', password: '' },
        { name: 'Vauban', address: 'noreply@vauban.example' },
        clock,
      );
      try {
        const mail = {
          id: 'mail_1',
          to: 'a@example.com',
          date: new Date(0),
          subject: 'Hello',
          text: 'x',
          html: 'x',
        };
        return await transport.send(mail);
      } finally {
        await transport.close();
      }
    },
  },
  {
    name: 'GoBGP',
    at: 'port',
    protocol: {
      greeting: '',
      answer: 'PRI * HTTP/2.0\r\n',
      opening: '',
      lies: ['\xff\xff\xff\x00\x00\x00\x00\x00\x01'],
    },
    mostBytes: 2 * MEGABYTE,
    async ask({ port }) {
      const gobgp = new Gobgp(`127.0.0.1:${port}`);
      try {
        return await gobgp.neighbours();
      } finally {
        gobgp.close();
      }
    },
    untimed: true,
  },
  {
    name: 'Incus',
    isHttp: true,
    at: 'port',
    encryption: { cert: certificate, key },
    protocol: {
      greeting: '',
      answer: `${http('application/json')}{"type":"sync","metadata":[{"name":"a"},`,
      opening: http('application/json'),
      lies: [LYING_HTTP],
      list: { begin: '{"type":"sync","metadata":[', element: '{"name":"a","config":{}},' },
    },
    mostBytes: 2 * MEGABYTE,
    stepMs: 5_000,
    ask: askIncus,
    fine: [
      'sending an object without members',
      'sending members of other types',
      'sending an event without its members',
      'sending a refusal without words',
    ],
  },
  {
    name: "what answers at Incus's port",
    at: 'port',
    protocol: { greeting: '', answer: 'no TLS', opening: '', lies: ['\x16\x03\x03\xff\xff', '\x15\x03'] },
    mostBytes: MEGABYTE,
    ask: askIncus,
  },
  {
    name: 'the collector of flows',
    at: 'port',
    protocol: {
      greeting: '',
      isUnasked: true,
      answer: `${JSON.stringify({ ...FLOW, ip_dst: '203.0.113.10' })}\n`,
      opening: '',
      lies: [JSON.stringify({ ...FLOW, packets: 1e300, bytes: -1 }), '{"packets":1e999}\n'],
    },
    mostBytes: ENOUGH_BYTES,
    ask: readFlows,
    fine: MANNERS.map(({ name }) => name),
    untimed: true,
  },
  {
    name: 'nft monitor',
    at: 'port',
    protocol: {
      greeting: '',
      isUnasked: true,
      answer: 'add table inet other\n# new generation 7 by process 1 (nft)\n',
      opening: '',
      lies: ['# new generation 99999999999999999999\n', 'add table inet'],
    },
    mostBytes: 24 * MEGABYTE,
    ask: watchTables,
    fine: LINES,
    untimed: true,
  },
];

const isTimed = (peer: Peer, { name, isTimed }: Manner) => isTimed || (peer.isHttp && name === SKIPPED);

async function misbehave(t: TestContext, peer: Peer, manner: Manner): Promise<void> {
  const strays = catchStrays(t);
  const clock = new RunningClock();

  const server = await startBadServer(t, manner, peer.protocol, peer.at, peer.encryption);
  const asked = peer.ask(server, isTimed(peer, manner) ? clock : withoutPauses(clock), t);
  const timed = isTimed(peer, manner);
  const outcome = timed ? outOfTime(clock, asked, peer.stepMs ?? 1_000) : asked;
  if (peer.fine?.includes(manner.name)) await outcome;
  else await assert.rejects(outcome);
  await server.left();
  if (!timed) assert.ok(server.sent() <= peer.mostBytes + KERNEL_BYTES, `took ${server.sent()} bytes`);
  assert.deepEqual(strays, []);
}

for (const peer of PEERS) {
  const { slow = [] } = peer;
  const now = (name: string) => depth(!slow.includes(name), true);
  test(`${peer.name} may misbehave as it likes`, async (t) => {
    for (const manner of MANNERS.filter((each) => now(each.name) && !(isTimed(peer, each) && peer.untimed)))
      await t.test(manner.name, (each) => misbehave(each, peer, manner));
  });
}
