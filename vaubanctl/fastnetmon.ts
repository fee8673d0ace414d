import type { ReportAttackRequest as Report } from '../shared/api/operator.ts';

type Class = Report['classes'][number];
type Port = Report['ports'][number];

const BYTES_OF_MEGABIT = 125_000;
/** The most packets to read. FastNetMon shows 20 unless its `ban_details_records_count` says otherwise. */
const MOST_PACKETS = 1_000;

/**
 * Parses FastNetMon 1.2's text report of an attack: traffic by class, and some of its packets. Missing values are left
 * out.
 */
export function readDetails(details: string): Pick<Report, 'bps' | 'classes' | 'ports'> {
  const numbers = new Map<string, number>();
  for (const [, name, value] of details.matchAll(
    /^(?:Incoming|Total incoming) ([a-z ]{1,80}): (\d{1,12})\b/gm,
  ))
    numbers.set(name!, Number(value));
  const [, size] = /^Average packet size for incoming traffic: (\d{1,6}(?:\.\d+)?)/m.exec(details) ?? [];
  const meanLength = Number(size ?? 0);
  const counted = (name: string) => {
    const packets = numbers.get(`${name} pps`) ?? 0;
    // FastNetMon reports whole megabits per second; below one, the mean packet length is more accurate.
    const megabits = numbers.get(`${name} traffic`) ?? 0;
    return { packets, bytes: Math.round(megabits > 0 ? megabits * BYTES_OF_MEGABIT : packets * meanLength) };
  };
  const [syn, tcp, udp, icmp, fragment] = ['syn tcp', 'tcp', 'udp', 'icmp', 'ip fragmented'].map(counted);
  const rest = {
    packets: Math.max(0, tcp!.packets - syn!.packets),
    bytes: Math.max(0, tcp!.bytes - syn!.bytes),
  };
  const classes: Class[] = [
    { class: 'syn', ...syn! },
    { class: 'tcp', ...rest },
    { class: 'udp', ...udp! },
    { class: 'icmp', ...icmp! },
    { class: 'fragment', ...fragment! },
  ];
  const bps = Math.round(8 * classes.reduce((sum, { bytes }) => sum + bytes, 0));
  return { bps, classes: classes.filter(({ packets }) => packets > 0), ports: portsOf(details) };
}

/** Returns the source ports of the packets in the report. */
function portsOf(details: string): Port[] {
  const found = new Map<string, Port>();
  const packet =
    /:(\d{1,5}) > \S{1,60} protocol: (tcp|udp)\b.{0,200}?packets: (\d{1,6}) size: (\d{1,6}) bytes/g;
  for (const [, port, protocol, packets, size] of [...details.matchAll(packet)].slice(0, MOST_PACKETS)) {
    const key = `${protocol} ${port}`;
    const before = found.get(key) ?? { packets: 0, bytes: 0 };
    found.set(key, {
      protocol: protocol as Port['protocol'],
      port: Number(port),
      packets: before.packets + Number(packets),
      bytes: before.bytes + Number(packets) * Number(size),
    });
  }
  return [...found.values()].filter(({ port }) => port <= 65_535);
}
