/** How a console came to its end: the code by which its socket was closed. */
export interface Ending {
  code: number;
}

/** A way into a machine. */
export interface Console {
  /** Resolves when it is open, or closed again; throws a {@link NoTicket}. */
  connect(): Promise<void>;
  tools: { name: 'keys'; run: () => void }[];
}
