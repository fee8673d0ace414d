/** The close code of a console's WebSocket. */
export interface Ending {
  code: number;
}

/** A terminal or a screen of a machine. */
export interface Console {
  /** Resolves once it is open or closed again. Throws {@link NoTicket}. */
  connect(): Promise<void>;
  tools: { name: 'keys'; run: () => void }[];
}
