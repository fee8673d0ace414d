/** The agent's limits, each with its reason. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Characters in a customer's message: a page or two. */
export const MAX_MESSAGE = 8_000;
export const MAX_STEPS = 50;
export const DEFAULT_STEPS = 20;
/** `apt-get update` on a slow line takes a minute. */
export const COMMAND_TIMEOUT_MS = 2 * MINUTE_MS;
/** Maximum duration of a run, without waiting for approval; twenty ordinary commands take a minute. */
export const RUN_TIMEOUT_MS = 15 * MINUTE_MS;
/** A model that has been silent for this long will not answer. */
export const MODEL_SILENCE_MS = MINUTE_MS;
/** Promised by the API. */
export const APPROVAL_LIFETIME_MS = 10 * MINUTE_MS;
export const PING_MS = 15 * SECOND_MS;
/**
 * Maximum output of one command, promised by the API; more is read and dropped so that the command is not blocked.
 */
export const OUTPUT_BYTES = 64 * 1024;
/**
 * Output kept of one command, in the history and for the model: enough to read, and fifty of them fit into a context.
 */
export const KEPT_OUTPUT = 16 * 1024;
/** Maximum size of one message of the model; a longer one is rambling. */
export const MAX_ANSWER = 64 * 1024;
/** Characters of the conversation that the model gets, newest first. */
export const CONTEXT_CHARACTERS = 200_000;
/**
 * Maximum size of one reply from the model's server, as transferred: each token of an answer is an event of about 300
 * bytes, and reasoning is several times as long as the answer.
 */
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;
/** Maximum duration of one turn of the model, which might send something every few seconds and never finish. */
export const MODEL_TURN_MS = 5 * MINUTE_MS;
/** Consecutive invalid calls after which the model is considered unable to use the tool. */
export const MAX_NONSENSE = 3;
/** Each run holds a connection to a guest, one to a model, and at worst a few hundred kilobytes. */
export const RUNS_A_NODE = 200;
/** Time for a running command to finish when the service stops. */
export const STOP_GRACE_MS = 5 * SECOND_MS;
/** Bytes buffered for a client that does not read, before the run waits for it. */
export const SEND_BUFFER_BYTES = 64 * 1024;
