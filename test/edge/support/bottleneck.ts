import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { CLIENT, type EdgeNetwork } from './network.ts';

/** Concurrent requests, each on its own connection. */
export const REQUESTS = 10;
const SECONDS = 4;

/** The quality of service for a user of the victim. */
export interface Service {
  mbps: number;
  /** The number of {@link REQUESTS} that were answered. */
  answered: number;
}

/**
 * Sets up a narrow link between the edge and the victim, servers behind it at these addresses, and a user of theirs in
 * front of the edge.
 */
export async function openBottleneck(t: TestContext, network: EdgeNetwork, mbps: number, ips: string[]) {
  // The traffic between two ticks of the kernel's clock.
  const burst = `${Math.max(16, mbps)}kb`;
  const narrow = ['tbf', 'rate', `${mbps}mbit`, 'burst', burst, 'latency', '50ms'];
  await network.edge.run('tc', 'qdisc', 'add', 'dev', 'e1', 'root', ...narrow);
  await network.victim.ip(...ips.map((ip) => `addr add ${ip}/32 dev lo`));
  const serve = async (...words: string[]) => {
    const [program, args] = network.victim.command(...words);
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    defer(t, async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    });
    await once(child.stdout, 'data');
    child.stdout.resume();
  };
  await serve('iperf3', '--server', '--forceflush');
  const answer = "require('http').createServer((_, reply) => reply.end('x'.repeat(1000)))";
  await serve(process.execPath, '-e', `${answer}.listen(80, () => console.log('listening'))`);

  /** Returns the throughput of a connection to the victim's service in its last seconds; 0 if it cannot be reached. */
  const throughput = async (ip: string, seconds = SECONDS): Promise<number> => {
    const iperf = ['iperf3', '--client', ip, '--bind', CLIENT, '--time', `${seconds}`, '--json'];
    const text = await network.attacker
      .run('timeout', `${seconds + 2 * SECONDS}`, ...iperf, '--connect-timeout', '3000')
      .catch(() => '{}');
    const { end, intervals = [] } = JSON.parse(text);
    if (!end?.sum_received) return 0;
    const last = intervals.slice(-(SECONDS - 1)).map((one: { sum: { bytes: number } }) => one.sum.bytes);
    return last.reduce((sum: number, bytes: number) => sum + (8 * bytes) / 1e6, 0) / last.length;
  };
  const requests = async (ip: string): Promise<number> => {
    const options = ['--silent', '--connect-timeout', '1', '--max-time', '2', '--interface', CLIENT];
    const form = ['--header', 'Connection: close', '--write-out', '%{http_code}\n', '--output', '/dev/null'];
    const each = Array.from({ length: REQUESTS }, () => [...options, ...form, `http://${ip}/`]);
    const words = each.flatMap((one, index) => (index === 0 ? one : ['--next', ...one]));
    const codes = await network.attacker
      .run('curl', ...words)
      .catch((error: { stdout: string }) => error.stdout);
    return codes.split('\n').filter((code) => code === '200').length;
  };
  const use = async (ip: string): Promise<Service> => ({
    answered: await requests(ip),
    mbps: await throughput(ip),
  });
  return { use, requests, throughput };
}
