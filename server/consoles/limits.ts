/** The limits of consoles, each with its reason. */

/** A program fetches a ticket and uses it at once; a minute allows for a slow browser. */
export const TICKET_SECONDS = 60;
/**
 * As long as people look away from a terminal without having forgotten it. A session without a byte in either
 * direction is idle.
 */
export const IDLE_MS = 15 * 60_000;
/** An engine that has not connected us to its guest by then will not; a login times out before this. */
export const CONNECT_MS = 30_000;
/** Time for the engine to answer whether a guest is off, after the guest's stream has ended. */
export const GUEST_LOOK_MS = 2_000;
/** Less than the minute after which proxies and NATs forget a silent connection. */
export const PING_MS = 30_000;
/** Interval between checks of sessions: idle, unresponsive and expired ones end at most this much late. */
export const CHECK_MS = 5_000;
/** On shutdown, the time for the other side to confirm the close before it is cut off. */
export const CLOSE_GRACE_MS = 2_000;

/** Bytes buffered for a slow reader at which its source is paused, and at which it resumes. */
export const HIGH_WATER_BYTES = 256 * 1024;
export const LOW_WATER_BYTES = 64 * 1024;
/** Maximum size of a caller's frame; noVNC and terminals send far less, an SSH library at most a packet. */
export const MAX_FRAME_BYTES = 1024 * 1024;

/** Each open session costs some tens of kilobytes, a terminal also an SSH connection. Counted on each node. */
export const SESSIONS_PER_VM = 64;
/** So that one customer cannot use up everyone's capacity. */
export const SESSIONS_PER_ACCOUNT = 500;
/** 2,000 sessions with full buffers take half a gigabyte, which a node can afford. */
export const SESSIONS_PER_NODE = 2_000;

/** Maximum width and height of a terminal: more than any screen shows. */
export const MAX_TERMINAL_SIDE = 500;
/** Text messages contain a size, in 60 characters. */
export const MAX_TEXT_BYTES = 256;
/**
 * While a window is being dragged, it asks for a size with each frame; the guest gets the latest one at this
 * interval.
 */
export const RESIZE_MS = 250;
/**
 * Messages below {@link SMALL_MESSAGE_BYTES}, and pings, that are read from one session per second: more than anyone
 * types or points, and few enough that a flood hardly loads the service. Further ones wait in the client's socket.
 */
export const SMALL_MESSAGES_PER_SECOND = 1_000;
/** The same limit for a viewer of a share link, who types and asks for sizes, and may be one of fifty strangers. */
export const VIEWER_MESSAGES_PER_SECOND = 200;
export const SMALL_MESSAGE_BYTES = 1_024;
/** Burst of small messages and pings, as the time in which they would be due at the permitted rate. */
export const SMALL_MESSAGES_IN_HAND_MS = 1_000;
/**
 * Minimum and maximum time for which a flooding socket is held. Holding it for each message would cost more than
 * reading it. The maximum is needed because one read of 64 KiB may contain thousands of tiny messages.
 */
export const FLOOD_MS = 250;
export const MAX_FLOOD_MS = 10_000;
export const DEFAULT_COLS = 80;
export const DEFAULT_ROWS = 24;

/** Maximum number of share links of a VM at a time: a list that people can still keep track of. */
export const SHARES_PER_VM = 20;
export const MAX_VIEWERS = 50;
/** Lines above the screen that a late viewer also gets, as far as they fit. */
export const SHARED_SCROLLBACK_LINES = 1_000;
/** Strangers can ask for a shared screen's size; with {@link SHARED_SCROLLBACK_LINES} it takes at most 4 MB. */
export const SHARED_SCREEN = { minCols: 20, maxCols: 300, minRows: 5, maxRows: 100 } as const;
/**
 * Maximum size of the picture for a late viewer. It goes into an empty buffer, so it fits, with room for one message.
 */
export const MAX_PICTURE_BYTES = HIGH_WATER_BYTES - 1_024;
/** Cells of one picture, including the lines above the screen; each takes a microsecond or two. */
export const MAX_PICTURE_CELLS = 1_024 * 80;
/** Share of the screens thread's time that drawing one screen may take. */
export const DRAWING_SHARE = 0.1;
/**
 * Interval at which a screen is drawn for viewers who join or are behind; the first few drawings may follow each
 * other at once so that the first viewers do not wait.
 */
export const PICTURE_MS = 250;
export const PICTURES_IN_HAND_MS = 1_000;
/**
 * Output limit of a shared shell, summed over its viewers: 1 MiB per second, with a burst of half a second. A message
 * costs the event loop as much as a KiB, however short it is. A piece is the output allowed in a tenth of a second,
 * within bounds: fewer, larger pieces cost less, but text must not stutter.
 */
export const OUTPUT = {
  bytesPerMs: 1_048.576,
  inHandMs: 500,
  bytesPerMessage: 1_024,
  pieceMs: 100,
  minPieceBytes: 2_048,
  maxPieceBytes: 32_768,
} as const;
/** Output above the limit is combined for at least this long: shorter than the eye notices. */
export const COALESCE_MS = 25;
/** Simultaneously shared shells of a node, and of an account: half a gigabyte of screens in total. */
export const ROOMS_PER_NODE = 128;
export const ROOMS_PER_ACCOUNT = 16;
/** Memory of the screens thread besides the screens' cells; beyond it the thread ends, and the service continues. */
export const SCREENS_HEAP_MB = 1_024;
/**
 * The screens thread answers within milliseconds; one that does not answer within this time has hung, and is
 * terminated.
 */
export const SCREENS_ANSWER_MS = 60_000;
/** A viewer that has read nothing for this long is not watching. */
export const BEHIND_MS = 30_000;
/** Look-ups of a link, and viewers of it, per minute: a class of fifty that loads its page twice. */
export const OPENINGS_PER_LINK = 120;
/** Look-ups and viewers of all links from one network, per minute: a class of fifty, and a few reloads. */
export const OPENINGS_PER_NETWORK = 60;
/**
 * Each viewer costs ten queries. Viewers of one link are admitted at this interval, after a small burst. All viewers
 * that a link may have in a minute are admitted before {@link CONNECT_MS} is over.
 */
export const OPENING_MS = 200;
export const OPENINGS_IN_HAND_MS = 1_000;
/** A reloaded page finds its shell; a shell without viewers ends after this time. */
export const EMPTY_ROOM_MS = 60_000;
