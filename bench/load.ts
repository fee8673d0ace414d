import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What to send. The requests are used in turn, again and again, until `count` or `seconds` is reached. */
export interface LoadOrder {
  port: number;
  /** Connections; each has one request under way. */
  inFlight: number;
  /** Whole requests, as {@link httpRequest} writes them. */
  requests: string[];
  count?: number;
  seconds?: number;
  /**
   * Requests a second, at most: each is due at its own time, whether the ones before it are answered or not, so that
   * a service that stands still is seen by all that were due meanwhile. As fast as they are answered when absent.
   */
  perSecond?: number;
  /** Refusals are what is to be sent: responses of any status are counted. */
  anyStatus?: boolean;
}

export interface LoadReport {
  /** From the first request to the last response. */
  seconds: number;
  /** Responses by status. */
  statuses: Record<number, number>;
  /** Milliseconds from a request, or from when it was due if its connection was not free, to its whole response. */
  latencies: number[];
}

/** A process that sends requests. */
export interface LoadGenerator extends Disposable {
  /** Sends them, one order at a time; throws unless every response is a 200 or the order takes any status. */
  send(order: LoadOrder): Promise<LoadReport>;
}

/** A request as it goes over the wire; whatever is not a GET gets an Idempotency-Key of its own. */
export function httpRequest(method: string, path: string, key: string, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} ${path} HTTP/1.1`, 'Host: bench', `Authorization: Bearer ${key}`];
  if (method !== 'GET') head.push(`Idempotency-Key: ${crypto.randomUUID()}`);
  if (text) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  return [...head, '', text].join('\r\n');
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'load-generator.ts'), { serialization: 'advanced' });
  return {
    async send(order) {
      child.send(order);
      const [report] = (await once(child, 'message')) as [LoadReport];
      if (!order.anyStatus && Object.keys(report.statuses).some((status) => status !== '200'))
        throw new Error(`responses by status: ${JSON.stringify(report.statuses)}`);
      return report;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** Responses a second. */
export function throughput({ latencies, seconds }: LoadReport): number {
  return latencies.length / seconds;
}
