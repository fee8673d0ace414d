import { sampleAt } from '../../model/guest.ts';
import { stateOf, unitsOf } from '../../system/units.ts';
import { type Command, linesOf, type Process } from '../process.ts';
import { table } from '../tables.ts';

async function ip(process: Process): Promise<number> {
  const { guest } = process.system;
  const words = process.options().words;
  const object = words[0] ?? 'address';
  const brief = process.args.some((arg) => arg === '-br' || arg === '-brief');
  if ('route'.startsWith(object)) {
    const routes = guest.addresses.filter(({ family }) => (family === 6) === process.args.includes('-6'));
    await process.print(
      routes.map(({ gateway }) => `default via ${gateway} dev ens3 proto static\n`).join(''),
    );
    return 0;
  }
  const addresses = guest.addresses.map(({ address, prefix }) => `${address}/${prefix}`);
  if (brief) {
    await process.print(
      table([
        ['lo', 'UNKNOWN', '127.0.0.1/8 ::1/128'],
        ['ens3', 'UP', addresses.join(' ')],
      ]),
    );
    return 0;
  }
  const withAddresses = 'address'.startsWith(object);
  await process.print(
    '1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN\n    link/loopback 00:00:00:00:00:00\n',
  );
  if (withAddresses)
    await process.print('    inet 127.0.0.1/8 scope host lo\n    inet6 ::1/128 scope host\n');
  await process.print(
    `2: ens3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP\n    link/ether ${guest.mac} brd ff:ff:ff:ff:ff:ff\n`,
  );
  if (withAddresses) {
    for (const { address, family, prefix } of guest.addresses) {
      await process.print(`    inet${family === 6 ? '6' : ''} ${address}/${prefix} scope global ens3\n`);
    }
  }
  if (process.args.includes('-s')) {
    const sample = sampleAt(process.system.id, guest, process.system.now());
    await process.print(
      `    RX:  bytes packets\n    ${sample?.netInBytes ?? 0} ${sample?.netInPackets ?? 0}\n` +
        `    TX:  bytes packets\n    ${sample?.netOutBytes ?? 0} ${sample?.netOutPackets ?? 0}\n`,
    );
  }
  return 0;
}

async function ss(process: Process): Promise<number> {
  const { system } = process;
  const rows = [['Netid', 'State', 'Recv-Q', 'Send-Q', 'Local Address:Port', 'Peer Address:Port', 'Process']];
  for (const unit of unitsOf(system)) {
    const { active, pid } = stateOf(system, unit);
    if (unit.port === undefined || active !== 'active') continue;
    const name = unit.name === 'ssh' ? 'sshd' : unit.name;
    rows.push([
      'tcp',
      'LISTEN',
      '0',
      '511',
      `0.0.0.0:${unit.port}`,
      '0.0.0.0:*',
      `users:(("${name}",pid=${pid},fd=3))`,
    ]);
    rows.push([
      'tcp',
      'LISTEN',
      '0',
      '511',
      `[::]:${unit.port}`,
      '[::]:*',
      `users:(("${name}",pid=${pid},fd=4))`,
    ]);
  }
  await process.print(table(rows));
  return 0;
}

async function ping(process: Process): Promise<number> {
  const target = process.options().words.at(-1);
  if (target === undefined) return process.fail('usage error: Destination address required', 1);
  const at = process.args.indexOf('-c');
  const count = at < 0 ? Number.POSITIVE_INFINITY : Number(process.args[at + 1]);
  await process.print(`PING ${target} 56(84) bytes of data.\n`);
  let sent = 0;
  while (sent < count) {
    if (sent > 0) await process.sleep(1000);
    sent++;
    await process.print(
      `64 bytes from ${target}: icmp_seq=${sent} ttl=57 time=${(8 + (sent % 5) / 10).toFixed(1)} ms\n`,
    );
  }
  await process.print(
    `\n--- ${target} ping statistics ---\n${sent} packets transmitted, ${sent} received, 0% packet loss\n`,
  );
  return 0;
}

/** Answers for this guest's own web server; nothing else is reachable from a simulated guest. */
async function curl(process: Process): Promise<number> {
  const { system } = process;
  const { letters, words } = process.options();
  const url = words.find((word) => /^(https?:\/\/)?[\w.[\]:-]+(\/.*)?$/.test(word)) ?? '';
  const [, host = '', path = '/'] = /^(?:https?:\/\/)?([^/:]+)(?::80)?(\/.*)?$/.exec(url) ?? [];
  const own = [
    'localhost',
    '127.0.0.1',
    system.guest.hostname,
    ...system.guest.addresses.map(({ address }) => address),
  ];
  if (!own.includes(host)) return process.fail(`(6) Could not resolve host: ${host || url}`, 6);
  const nginx = unitsOf(system).find(({ name }) => name === 'nginx')!;
  if (stateOf(system, nginx).active !== 'active')
    return process.fail(`(7) Failed to connect to ${host} port 80: Connection refused`, 7);
  const file = path === '/' ? '/var/www/html/index.html' : `/var/www/html${path}`;
  const found = system.files.stat(file)?.kind === 'file';
  if (letters.has('I') || letters.has('i'))
    await process.print(`HTTP/1.1 ${found ? '200 OK' : '404 Not Found'}\r\nServer: nginx\r\n\r\n`);
  if (letters.has('I')) return 0;
  if (!found) await process.print('<h1>404 Not Found</h1>\n');
  else for await (const line of linesOf(system.files.read(file, 'root'))) await process.print(`${line}\n`);
  return 0;
}

/** Clients run this for the protocol that scp used before SFTP. */
function scp(process: Process): Promise<number> {
  return process.fail('only SFTP is simulated: use scp without -O');
}

export const NETWORK: Record<string, Command> = { ip, ss, netstat: ss, ping, curl, scp };
