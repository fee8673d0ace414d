import { runNetworkProgram } from '../../platform/nftables/program.ts';
import { PublicPortRanges } from '../../platform/public-ports.ts';
import { type Forwards, keyOf, type Layout, targetOf } from './table.ts';

/**
 * A connection from outside to a public port, as `conntrack` lists it: the public destination and the address that
 * replies.
 */
const LINE =
  /^(tcp|udp) .* src=\S+ dst=(\S+) sport=\d+ dport=(\d+) .*?src=(\S+) dst=\S+ sport=(\d+) dport=\d+/;

/**
 * Ends all connections to our public ports that do not match a current forward: those through removed forwards, and
 * those to this host itself that were opened before the table that refuses them existed.
 */
export async function endOthers({ publicPorts }: Layout, forwards: Forwards): Promise<void> {
  const ranges = new PublicPortRanges(publicPorts);
  const ends = new Set<string>();
  for (const address of new Set(publicPorts.map(({ address }) => address))) {
    const listed = await conntrack(['-L', '-f', 'ipv4', '--orig-dst', address]);
    for (const line of listed.split('\n')) {
      const [, protocol, publicIp, port, answers, answersPort] = LINE.exec(line) ?? [];
      if (!protocol || !ranges.hasPorts(publicIp!, Number(port))) continue;
      const target = forwards.get(keyOf(protocol, publicIp!, Number(port)));
      if (target === targetOf(answers!, Number(answersPort))) continue;
      const to = ['-p', protocol, '--orig-dst', publicIp!, '--orig-port-dst', port!];
      ends.add([...to, '--reply-src', answers!, '--reply-port-src', answersPort!].join(' '));
    }
  }
  for (const end of ends) await conntrack(['-D', '-f', 'ipv4', ...end.split(' ')]);
}

/** Returns what `conntrack` prints. It exits with an error if it finds no connection, which is no failure here. */
async function conntrack(args: string[]): Promise<string> {
  return runNetworkProgram('conntrack', args).catch((error: Error) => {
    if (/: 0 flow entries have been/.test(error.message)) return '';
    throw error;
  });
}
