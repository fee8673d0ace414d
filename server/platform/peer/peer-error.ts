/** A peer exceeded a bound, or sent something that cannot be understood. */
export class PeerError extends Error {
  override name = 'PeerError';
  /** The peer's name, such as `the guest agent of vm_1`. */
  readonly peer: string;

  constructor(peer: string, problem: string, options?: ErrorOptions) {
    super(`${peer} ${problem}`, options);
    this.peer = peer;
  }
}
