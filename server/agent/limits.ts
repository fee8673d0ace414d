/** The bounds of the agent, each with its reason. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** What a customer may write at once: a page or two. */
export const MAX_MESSAGE = 8_000;
export const MAX_STEPS = 50;
export const DEFAULT_STEPS = 20;
/** `apt-get update` on a slow line takes a minute. */
export const COMMAND_TIMEOUT_MS = 2 * MINUTE_MS;
/** A run ends within this, waits for approval excepted; twenty ordinary commands take one minute. */
export const RUN_TIMEOUT_MS = 15 * MINUTE_MS;
/** A model that has said nothing for so long will not. */
export const MODEL_SILENCE_MS = MINUTE_MS;
/** As the API promises. */
export const APPROVAL_LIFETIME_MS = 10 * MINUTE_MS;
export const PING_MS = 15 * SECOND_MS;
/** Of one command, as the API promises; what it writes beyond is read and dropped, so that it is not held up. */
export const OUTPUT_BYTES = 64 * 1024;
/** Of one command, in the history and before the model: enough to read, and fifty of them fit a context. */
export const KEPT_OUTPUT = 16 * 1024;
/** Of one message of the model; one that is longer has lost its way. */
export const MAX_ANSWER = 64 * 1024;
/** Characters of the conversation that the model is shown, newest first. */
export const CONTEXT_CHARACTERS = 200_000;
/**
 * Of one reply of the model's server, as it comes: each token of an answer is an event of some 300 bytes, and reasoning is
 * several times as long as the answer.
 */
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;
/** Of one turn of the model, which may say something every few seconds without coming to an end. */
export const MODEL_TURN_MS = 5 * MINUTE_MS;
/** Calls of the model one after the other that make no sense: it does not know how to use the tool. */
export const MAX_NONSENSE = 3;
/** Each holds a connection to a guest, one to a model, and a few hundred kilobytes at worst. */
export const RUNS_A_NODE = 200;
/** How long a command under way is waited for when the service stops. */
export const STOP_GRACE_MS = 5 * SECOND_MS;
/** What a client that does not read has the service hold, before the run waits for it. */
export const SEND_BUFFER_BYTES = 64 * 1024;
