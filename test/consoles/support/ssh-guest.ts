import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer, type Lifetime } from '../../support/cleanup.ts';

/**
 * A guest's SSH server that the test controls completely, for behaviour that an engine's guest would not show on
 * demand.
 */
export interface SshGuest {
  /** The port on 127.0.0.1 that stands for port 22; it changes when the host key is replaced. */
  readonly port: number;
  /** Opens a connection to its port 22. */
  open(): Promise<Duplex>;
  replaceHostKey(): void;
  logins: number;
  resizes: number;
}

export interface SshGuestOptions {
  authorizedKeys: string[];
  /** Users who can log in with the keys or with the password "secret". */
  users?: string[];
}

function authenticate(context: ssh2.AuthContext, { authorizedKeys, users = ['root'] }: SshGuestOptions) {
  if (!users.includes(context.username)) return context.reject();
  if (context.method === 'password' && context.password === 'secret') return context.accept();
  if (context.method !== 'publickey') return context.reject(['publickey', 'password']);
  const known = authorizedKeys.map((line) => ssh2.utils.parseKey(line) as ssh2.ParsedKey);
  const key = known.find((one) => one.getPublicSSH().equals(context.key.data));
  if (!key) return context.reject();
  if (context.signature && key.verify(context.blob!, context.signature, context.hashAlgo) !== true)
    return context.reject();
  context.accept();
}

/** Sends `length` bytes as fast as they are accepted. */
function pour(channel: ssh2.ServerChannel, length: number, then: () => void): void {
  const block = Buffer.alloc(32_768, 'x');
  let left = length;
  const more = () => {
    while (left > 0) {
      const part = block.subarray(0, Math.min(left, block.length));
      left -= part.length;
      if (!channel.write(part)) return void channel.once('drain', more);
    }
    then();
  };
  more();
}

/** Returns cells with different colours, on as many lines as they need, followed by "painted". */
function paint(cells: number): string {
  const cell = (n: number) => `\x1b[1;38;2;${n % 256};${(n >> 8) % 256};9;48;2;9;${n % 255};1mX`;
  return `${Array.from({ length: cells }, (_, n) => cell(n)).join('')}\x1b[0m\r\npainted\r\n$ `;
}

/**
 * A shell with five commands: `pour <bytes>`, `paint <cells>`, `swallow <bytes>`, `top` (full screen) and `exit`. It
 * echoes anything else.
 */
function shell(channel: ssh2.ServerChannel, size: { cols: number; rows: number }): void {
  let fullScreen = false;
  let swallow = 0;
  const draw = () => channel.write(`\x1b[?1049h\x1b[2J\x1b[Htop ${size.cols}x${size.rows}`);
  channel.on('resized', () => fullScreen && draw());
  channel.write(`welcome ${size.cols}x${size.rows}\r\n$ `);
  channel.on('data', (data: Buffer) => {
    if (swallow > 0) {
      swallow -= data.length;
      if (swallow <= 0) channel.write('swallowed\r\n$ ');
      return;
    }
    const word = data.toString();
    const [, command, count] = /^(pour|paint|swallow|top|exit)(?: (\d+))?\r$/.exec(word) ?? [];
    if (command === 'pour') pour(channel, Number(count), () => channel.write('poured\r\n$ '));
    else if (command === 'paint') channel.write(paint(Number(count)));
    else if (command === 'swallow') swallow = Number(count);
    else if (command === 'top') {
      fullScreen = true;
      draw();
    } else if (command === 'exit') channel.end();
    else channel.write(word.replace('\r', '\r\n$ '));
  });
}

function serve(session: ssh2.Session, onResize: () => void): void {
  const size = { cols: 0, rows: 0 };
  let channel: ssh2.ServerChannel | undefined;
  session.on('pty', (accept, _reject, { cols, rows }) => {
    Object.assign(size, { cols, rows });
    accept?.();
  });
  session.on('window-change', (accept, _reject, { cols, rows }) => {
    Object.assign(size, { cols, rows });
    accept?.();
    onResize();
    channel?.emit('resized');
  });
  session.on('shell', (accept) => {
    channel = accept();
    shell(channel, size);
  });
  session.on('exec', (accept, _reject, { command }) => {
    const exec = accept();
    const end = () => {
      exec.exit(0);
      exec.end();
    };
    const [, count] = /^pour (\d+)$/.exec(command) ?? [];
    if (count) return pour(exec, Number(count), end);
    exec.write(`ran ${command}\n`);
    end();
  });
}

export async function startSshGuest(t: Lifetime, options: SshGuestOptions): Promise<SshGuest> {
  let server: ssh2.Server;
  const start = async () => {
    server = new ssh2.Server({ hostKeys: [freshKeyPair().private] }, (client) => {
      client.on('error', () => {});
      client.on('authentication', (context) => authenticate(context, options));
      client.on('ready', () => {
        guest.logins++;
      });
      client.on('session', (accept) => serve(accept(), () => guest.resizes++));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };
  const guest: SshGuest = {
    logins: 0,
    resizes: 0,
    get port() {
      return (server.address() as AddressInfo).port;
    },
    open: async () => {
      const socket = connect(guest.port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    },
    replaceHostKey: () => {
      server.close();
      replaced = start();
    },
  };
  let replaced = start();
  await replaced;
  defer(t, async () => {
    await replaced;
    server.close();
  });
  const open = guest.open;
  guest.open = () => replaced.then(open);
  return guest;
}
