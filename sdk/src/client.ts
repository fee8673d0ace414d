import {
  type AgentEvent,
  type ConsoleTicket,
  type CreateSshTokenRequest,
  type Job,
  OPERATIONS,
  type Resources,
  type RunAgentRequest,
  type SshToken,
  type Vm,
} from './api.ts';
import { converse, type Decide } from './converse.ts';
import { readEvents } from './events.ts';
import { Fleet } from './fleet.ts';
import { List, type Page } from './list.ts';
import type { ClientOptions, PaidOptions, RequestOptions } from './options.ts';
import { type GuestSocket, openSocket, type Terminal } from './sockets.ts';
import { type Call, Transport } from './transport.ts';
import { type WaitOptions, waitForJob, waitUntilIdle } from './wait.ts';

/** A customer's client: every operation under its resource, and helpers that need several requests. */
export interface Client extends Resources {
  /** Waits until a VM has no job. */
  waitUntilIdle(vmId: string, options?: WaitOptions): Promise<Vm>;
  /**
   * Waits for the end of a job. Returns undefined if the job deleted its VM. Throws a `JobFailedError` if it did not
   * succeed.
   */
  waitForJob(job: Pick<Job, 'id' | 'kind' | 'vm_id'>, options?: WaitOptions): Promise<Vm | undefined>;
  /** Runs the agent from start to end; `decide` is called for each command that needs approval. */
  converse(
    vmId: string,
    message: Pick<RunAgentRequest, 'message' | 'approval_mode' | 'max_steps'>,
    decide: Decide,
    options?: RequestOptions,
  ): AsyncIterable<AgentEvent>;
  /** Returns an issued invoice as a file: a PDF with the e-invoice attached, or only the e-invoice (EN 16931, CII). */
  invoiceFile(id: string, format: 'pdf' | 'xml', options?: RequestOptions): Promise<Uint8Array>;
  openTerminal(vmId: string, how?: CreateSshTokenRequest, options?: RequestOptions): Promise<Terminal>;
  /** Opens a connection to the SSH server of a VM, for your own SSH client. The VM needs no open port. */
  openSshConnection(vmId: string, options?: RequestOptions): Promise<GuestSocket>;
  /** Opens the screen of a VM as a VNC stream, with the password if VNC asks for one. */
  openScreen(vmId: string, options?: RequestOptions): Promise<GuestSocket & { password: string | null }>;
}

type Place = (typeof OPERATIONS)[keyof typeof OPERATIONS];

/** Creates a client. Use one per key: it paces the requests of everything that uses it. */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options);
  const fleet = new Fleet(transport);
  const resources: Record<string, Record<string, unknown>> = {};
  for (const [operation, place] of Object.entries(OPERATIONS)) {
    const [resource, name] = place;
    resources[resource] ??= {};
    resources[resource][name] = (...given: unknown[]) => perform(transport, operation, place, given);
  }
  // The generator made this list and the type from the same source.
  const all = resources as unknown as Resources;
  return {
    ...all,
    waitUntilIdle: (vmId, wait) => waitUntilIdle(fleet, vmId, wait),
    waitForJob: (job, wait) => waitForJob(fleet, job, wait),
    converse: (vmId, message, decide, request = {}) =>
      converse((body, more) => all.agent.run(vmId, body, more), message, decide, request),
    invoiceFile: async (id, format, options = {}) => {
      const target = `/v1/billing/invoices/${pathValue('getInvoice', 'id', id)}`;
      const accept = `application/${format}`;
      const call = { operation: 'getInvoice', method: 'GET', target, kind: 'read', accept, options } as const;
      return (await transport.send(call)).file!;
    },
    openTerminal: async (vmId, how = {}, request = {}) => {
      const token: SshToken = await all.consoles.terminalToken(vmId, how, request);
      const { send, ...socket } = await openSocket(token.ws_url, ['vauban.ssh', token.token], {
        WebSocket: options.WebSocket,
        signal: request.signal,
      });
      const resize = (cols: number, rows: number) => send(JSON.stringify({ type: 'resize', cols, rows }));
      return { ...socket, username: token.username, resize };
    },
    openSshConnection: async (vmId, request = {}) => {
      const token: SshToken = await all.consoles.terminalToken(vmId, {}, request);
      const { send: _, ...socket } = await openSocket(token.ws_url, ['vauban.ssh.raw', token.token], {
        WebSocket: options.WebSocket,
        signal: request.signal,
      });
      return socket;
    },
    openScreen: async (vmId, request = {}) => {
      const ticket: ConsoleTicket = await all.consoles.screenTicket(vmId, request);
      const socket = await openSocket(ticket.ws_url, ['binary', ticket.ticket], {
        WebSocket: options.WebSocket,
        signal: request.signal,
      });
      const { readable, writable, closed, close } = socket;
      return { readable, writable, closed, close, password: ticket.password };
    },
  };
}

/** Splits the arguments of an operation: the variables of its path, its input, and options. */
function perform(transport: Transport, operation: string, place: Place, given: unknown[]): unknown {
  const [, , method, path, kind, takes] = place;
  const rest = [...given];
  const filled = path.replace(/\{(\w+)\}/g, (_, variable: string) =>
    pathValue(operation, variable, rest.shift()),
  );
  const input = takes === 'nothing' ? undefined : rest.shift();
  const query = takes === 'query' ? (input as Record<string, unknown> | undefined) : undefined;
  const call = (more: Record<string, unknown> = {}): Call => ({
    operation,
    method,
    target: withQuery(filled, { ...query, ...more }),
    kind,
    ...(takes === 'body' && input !== undefined && { body: input }),
    options: (rest[0] ?? {}) as PaidOptions,
    waitMs: Number(query?.wait_seconds ?? 0) * 1000,
  });
  if (kind === 'stream') return streamed(transport, call());
  if (kind === 'list') {
    const read = async (cursor: string | undefined) =>
      (await transport.send(call(cursor === undefined ? {} : { cursor }))).json as Page<unknown>;
    return new List(read, query?.cursor as string | undefined);
  }
  return transport.send(call()).then(({ json }) => (json as { data: unknown }).data);
}

async function* streamed(transport: Transport, call: Call): AsyncGenerator<unknown, void, void> {
  const { stream } = await transport.send(call);
  if (stream) yield* readEvents(stream);
}

/** Rejects values such as an empty id, which would turn the path into that of a list or another operation. */
function pathValue(operation: string, variable: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
    throw new TypeError(`${operation}: ${variable} must be an identifier`);
  return encodeURIComponent(value);
}

function withQuery(path: string, query: Record<string, unknown>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)]));
  return search.size > 0 ? `${path}?${search}` : path;
}
