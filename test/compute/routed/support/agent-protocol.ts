export type Request =
  | { do: 'listenUdp'; port: number; family: 4 | 6 }
  | { do: 'listenTcp'; port: number }
  | { do: 'sendUdp'; host: string; port: number; count: number }
  | { do: 'sendFrom'; from: number; host: string; port: number }
  | { do: 'sendFlows'; host: string; port: number; count: number }
  | { do: 'dial'; host: string; port: number }
  | { do: 'echo'; socket: number; text: string }
  | { do: 'isOpen'; socket: number };

/** A datagram, or a connection that was accepted. */
export interface Arrival {
  port: number;
  from: string;
}
