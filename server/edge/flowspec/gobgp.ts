import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { systemClock } from '../../platform/clock.ts';
import { readChunks } from '../../platform/peer/contained.ts';
import { PeerError } from '../../platform/peer/peer-error.ts';
import { EdgeUnavailableError } from '../driver.ts';
import { type Any, nlriOfEvent } from './event.ts';
import type { Route, RouteFamily } from './route.ts';

const PROTO = fileURLToPath(new URL('gobgp.proto', import.meta.url));
/** GoBGP answers within milliseconds; one that hangs must not delay the edge. */
const CALL_MS = 10_000;
/** Routes in one message of a stream that may have thousands. */
const ROUTES_PER_MESSAGE = 200;
/** Size of one message; a list consists of many. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Replies in one list: the edge announces several routes for each target. */
const MAX_REPLIES = 200_000;
const PEER = 'GoBGP';
const GLOBAL_TABLE = 0;
const BEST = 0;
const LONGER = 1;
const ESTABLISHED = 6;
/** Kinds of session events: the initial state of each session when the watch begins, and the end of those. */
const INIT = 1;
const END_OF_INIT = 2;
/** The neighbour that GoBGP reports for a route that came from no neighbour. */
const LOCAL_ORIGIN = ['', '<nil>'];

interface WirePath {
  nlri: Any | null;
  is_withdraw: boolean;
  family: RouteFamily | null;
  neighbor_ip: string;
  nlri_binary: Buffer;
  pattrs_binary: Buffer[];
}

/** A router that GoBGP has a session with or is trying to establish one with. */
export interface Neighbour {
  address: string;
  established: boolean;
  /** Number of routes of each family that it is sent. */
  sent: { family: RouteFamily; routes: number }[];
}

export interface RouteEvent {
  family: RouteFamily;
  /** The route's destination; undefined for a kind of route that the edge never announces. */
  nlri: Buffer | undefined;
  /** True if the route is now announced from here and not by a neighbour. */
  isHere: boolean;
}

export interface WatchListener {
  /** Called once no further event will be missed. */
  onReady(): void;
  /** Called when a session was established or lost. */
  onSession(): void;
  onRoute(event: RouteEvent): void;
  /** Called when GoBGP is gone. */
  onEnd(): void;
}

type Message = Record<string, unknown>;

/**
 * GoBGP's API, as far as the edge needs it. Routes are exchanged as the bytes that BGP itself uses, so nothing has to
 * be translated, and a route that is read back equals an announced one if its bytes are the same.
 */
export class Gobgp {
  readonly #client: grpc.Client;
  readonly #methods: grpc.ServiceDefinition;
  readonly #watches = new Set<grpc.ClientReadableStream<unknown>>();

  /** `target` in gRPC's notation: `unix:/run/gobgpd.sock`, `127.0.0.1:50051`. */
  constructor(target: string) {
    const options = { keepCase: true, longs: Number, defaults: true };
    const loaded = grpc.loadPackageDefinition(loadSync(PROTO, options)) as never as {
      apipb: { GobgpApi: grpc.ServiceClientConstructor };
    };
    const { GobgpApi } = loaded.apipb;
    this.#methods = GobgpApi.service;
    this.#client = new GobgpApi(target, grpc.credentials.createInsecure(), {
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.initial_reconnect_backoff_ms': 250,
      'grpc.max_reconnect_backoff_ms': 1_000,
    });
  }

  /** Returns the number of GoBGP's autonomous system; 0 if BGP has not been started. */
  async asn(): Promise<number> {
    const { path, requestSerialize, responseDeserialize } = this.#method('GetBgp');
    const reply = await new Promise<Message>((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        {},
        deadline(),
        (error, value) => (error ? reject(unavailable(error)) : resolve(value as Message)),
      );
    });
    return (reply.global as { asn: number } | null)?.asn ?? 0;
  }

  async neighbours(): Promise<Neighbour[]> {
    const replies = await this.#list<{ peer: PeerMessage }>('ListPeer', {
      enableAdvertised: true,
    });
    return replies.map(({ peer: { state, afi_safis } }) => ({
      address: state?.neighbor_address ?? '',
      established: state?.session_state === ESTABLISHED,
      sent: afi_safis.flatMap(({ state: one }) =>
        one?.family ? [{ family: one.family, routes: one.advertised }] : [],
      ),
    }));
  }

  /**
   * Returns the routes of a family that were announced from here and not by a neighbour. `within` restricts them to
   * these networks. GoBGP supports that for unicast only, where it may hold all routes of the Internet.
   */
  async routes(family: RouteFamily, within: string[] = []): Promise<Route[]> {
    const prefixes = within.map((prefix) => ({ prefix, type: LONGER }));
    const request = { table_type: GLOBAL_TABLE, family, prefixes, enable_only_binary: true };
    const replies = await this.#list<{ destination: { paths: WirePath[] } | null }>('ListPath', request);
    return replies
      .flatMap(({ destination }) => destination?.paths ?? [])
      .filter(({ neighbor_ip }) => LOCAL_ORIGIN.includes(neighbor_ip))
      .map(({ nlri_binary: nlri, pattrs_binary: attributes }) => ({ family, nlri, attributes }));
  }

  /**
   * Announces routes, then withdraws others, in that order, so that a replacement is present before the old route
   * goes.
   */
  async apply(announced: Route[], withdrawn: Route[]): Promise<void> {
    const paths = [
      ...announced.map((route) => wire(route, false)),
      ...withdrawn.map((route) => wire(route, true)),
    ];
    if (paths.length === 0) return;
    const { path, requestSerialize, responseDeserialize } = this.#method('AddPathStream');
    await new Promise<void>((resolve, reject) => {
      const stream = this.#client.makeClientStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        deadline(),
        (error) => (error ? reject(unavailable(error)) : resolve()),
      );
      stream.on('error', () => {});
      for (let from = 0; from < paths.length; from += ROUTES_PER_MESSAGE) {
        stream.write({ table_type: GLOBAL_TABLE, paths: paths.slice(from, from + ROUTES_PER_MESSAGE) });
      }
      stream.end();
    });
  }

  /** Listens from now on, until GoBGP is gone or this client is closed. */
  watch({ onReady, onSession, onRoute, onEnd }: WatchListener): void {
    const { path, requestSerialize, responseDeserialize } = this.#method('WatchEvent');
    const request = { peer: {}, table: { filters: [{ type: BEST, init: false }] } };
    const stream = this.#client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
    this.#watches.add(stream);
    readChunks(stream, PEER, ({ peer, table }: WatchMessage) => {
      if (peer?.type === END_OF_INIT) onReady();
      else if (peer && peer.type !== INIT) onSession();
      for (const path of table?.paths ?? []) onRoute(eventOf(path));
    });
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      if (this.#watches.delete(stream)) onEnd();
    };
    stream.on('error', end).on('end', end).on('close', end);
  }

  close(): void {
    const watches = [...this.#watches];
    this.#watches.clear();
    for (const stream of watches) stream.cancel();
    this.#client.close();
  }

  #list<Reply>(name: string, request: Message): Promise<Reply[]> {
    const { path, requestSerialize, responseDeserialize } = this.#method(name);
    return new Promise((resolve, reject) => {
      const replies: Reply[] = [];
      const stream = this.#client
        .makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, deadline())
        .on('error', (error: grpc.ServiceError) => reject(unavailable(error)))
        .on('end', () => resolve(replies));
      readChunks(stream, PEER, (reply: Reply) => {
        if (replies.push(reply) > MAX_REPLIES)
          throw new PeerError(PEER, `sent more than ${MAX_REPLIES} replies`);
      });
    });
  }

  #method(name: string): grpc.MethodDefinition<unknown, unknown> {
    return this.#methods[name]!;
  }
}

interface PeerMessage {
  state: { neighbor_address: string; session_state: number } | null;
  afi_safis: { state: { family: RouteFamily | null; advertised: number } | null }[];
}

interface WatchMessage {
  peer: { type: number } | null;
  table: { paths: WirePath[] } | null;
}

function eventOf({ family, nlri, is_withdraw, neighbor_ip }: WirePath): RouteEvent {
  return {
    family: family!,
    nlri: nlri ? nlriOfEvent(family!, nlri) : undefined,
    isHere: !is_withdraw && LOCAL_ORIGIN.includes(neighbor_ip),
  };
}

function wire({ family, nlri, attributes }: Route, is_withdraw: boolean) {
  return { family, nlri_binary: nlri, pattrs_binary: attributes, is_withdraw };
}

const deadline = () => ({ deadline: systemClock.now().getTime() + CALL_MS });

function unavailable({ details, message }: grpc.ServiceError): EdgeUnavailableError {
  return new EdgeUnavailableError(`GoBGP: ${details || message}`);
}
