import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import ssh2 from 'ssh2';
import type { Image } from '../../../server/compute/qemu/images/image.ts';
import { type SeedInput, seedImage } from '../../../server/compute/qemu/images/seed.ts';
import { sha512Crypt } from '../../../server/platform/sha512-crypt.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';

const MAC = '52:54:00:00:00:01';
const RETRY_MS = 100;
/** QEMU accepts a connection before the guest listens; it then leads nowhere, and a new one is needed. */
const BANNER_MS = 500;

/** JSON lines over a Unix socket of QEMU, either its monitor or the agent in the guest. */
class JsonSocket {
  readonly #socket: Socket;
  readonly #waiting: { fits: (message: Message) => boolean; resolve: (message: Message) => void }[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      const index = this.#waiting.findIndex(({ fits }) => fits(message));
      if (index >= 0) this.#waiting.splice(index, 1)[0]!.resolve(message);
    });
  }

  when(fits: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }));
  }

  async execute(command: string, args: object = {}): Promise<unknown> {
    const answer = this.when((message) => 'return' in message || 'error' in message);
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    const message = await answer;
    if (message.error) throw new Error(`${command}: ${JSON.stringify(message.error)}`);
    return message.return;
  }
}

interface Message {
  event?: string;
  return?: unknown;
  error?: unknown;
}

/** Connects to a socket of QEMU as soon as it listens. */
async function open(path: string, running: () => boolean): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if (!running()) throw new Error('QEMU has ended', { cause: error });
      await pause(RETRY_MS);
    }
  }
}

async function greets(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const signal = AbortSignal.timeout(BANNER_MS);
  try {
    const [banner] = (await once(socket, 'data', { signal })) as [Buffer];
    return banner.toString('latin1').startsWith('SSH-');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function qemuOptions(image: Image, directory: string, direct: boolean): string[] {
  const at = (name: string) => join(directory, name);
  const boot = image.directBoot;
  if (direct && !boot) throw new Error(`${image.name} has no kernel to start directly`);
  return [
    ...['-nodefaults', '-no-user-config', '-machine', 'q35', '-accel', 'tcg,tb-size=64', '-m', '128'],
    ...['-display', 'none', '-action', 'panic=pause', '-device', 'pvpanic-pci', '-device', 'virtio-rng-pci'],
    ...['-chardev', `socket,id=qmp,path=${at('qmp')},server=on,wait=off`, '-mon', 'chardev=qmp,mode=control'],
    ...['-drive', `if=virtio,file=${at('disk')},format=qcow2`],
    ...['-drive', `if=virtio,file=${at('seed')},format=raw,readonly=on`],
    ...['-netdev', 'user,id=net0', '-device', `virtio-net-pci,netdev=net0,mac=${MAC},romfile=`],
    ...['-device', 'virtio-serial-pci', '-chardev', `socket,id=agent,path=${at('agent')},server=on,wait=off`],
    ...[
      '-device',
      'virtserialport,chardev=agent,name=org.qemu.guest_agent.0',
      '-serial',
      `file:${at('console')}`,
    ],
    ...(direct && boot ? ['-kernel', boot.kernel, '-initrd', boot.initrd, '-append', boot.append] : []),
  ];
}

/** Boots a guest with only QEMU, on its own network. The test's end removes the guest and its files. */
export async function bootGuest(
  t: TestContext,
  image: Image,
  options: { diskMib: number; direct: boolean; addresses: SeedInput['addresses']; nameservers: string[] },
) {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-guest-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const at = (name: string) => join(directory, name);
  const key = freshKeyPair();
  const password = `a"b,c: d'$x #e`;
  const passwordHash = await sha512Crypt(password);
  const access = { authorizedKeys: [key.public], passwordHash, user: image.user };
  const { addresses, nameservers } = options;
  const identity = { id: 'vm_1', hostname: 'web-1', mac: MAC, addresses, nameservers };
  writeFileSync(at('seed'), seedImage({ ...identity, ...access }));
  const overlay = ['-f', 'qcow2', '-F', 'qcow2', '-b', image.disk, at('disk'), `${options.diskMib}M`];
  execFileSync('qemu-img', ['create', '-q', ...overlay]);

  const qemu = spawn('qemu-system-x86_64', qemuOptions(image, directory, options.direct), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exit = once(qemu, 'exit');
  const running = () => qemu.exitCode === null && qemu.signalCode === null;
  defer(t, async () => {
    if (running()) qemu.kill('SIGKILL');
    await exit;
  });
  const monitor = new JsonSocket(await open(at('qmp'), running));
  await monitor.execute('qmp_capabilities');
  const human = (line: string) => monitor.execute('human-monitor-command', { 'command-line': line });
  await human('hostfwd_add net0 tcp:127.0.0.1:0-:22');
  const port = Number(
    /TCP\[HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)/.exec(String(await human('info usernet')))?.[1],
  );
  let hostKey = '';

  async function attempt(how: { password: string } | { privateKey: string }): Promise<ssh2.Client> {
    // An error reaches the waiting caller. Later errors are ignored: the guest may end before its connection does.
    const client = new ssh2.Client().on('error', () => {});
    const ready = once(client, 'ready');
    const hostVerifier = (found: Buffer) => {
      hostKey = found.toString('base64');
      return true;
    };
    client.connect({
      host: '127.0.0.1',
      port,
      username: image.user,
      hostVerifier,
      readyTimeout: 0,
      ...how,
    });
    try {
      await ready;
    } catch (error) {
      client.destroy();
      throw error;
    }
    return client;
  }

  return {
    password,
    hostKey: () => hostKey,
    /** Logs in as soon as the guest accepts logins. Throws if the guest rejects the credentials. */
    async login(how: { password: string } | 'key'): Promise<ssh2.Client> {
      while (!(await greets(port))) {
        if (!running()) throw new Error('QEMU has ended');
        await pause(RETRY_MS);
      }
      return attempt(how === 'key' ? { privateKey: key.private } : how);
    },
    async run(client: ssh2.Client, commands: string[]): Promise<string> {
      const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
        client.exec(commands.join('\n'), (error, stream) => (error ? reject(error) : resolve(stream))),
      );
      return text(channel);
    },
    async agent(command: string, args: object = {}): Promise<unknown> {
      const socket = await open(at('agent'), running);
      try {
        return await new JsonSocket(socket).execute(command, args);
      } finally {
        socket.destroy();
      }
    },
    event: (name: string) => monitor.when((message) => message.event === name),
    /** Presses the power button and waits until the machine is off. */
    async powerOff(): Promise<void> {
      await monitor.execute('system_powerdown');
      await exit;
    },
  };
}
