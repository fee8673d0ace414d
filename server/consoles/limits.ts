/** The bounds of consoles, each with its reason. */

/** A ticket is fetched by a program and used at once; a minute bears a slow browser. */
export const TICKET_SECONDS = 60;
/** As long as people look away from a terminal without having forgotten it. No byte either way means idle. */
export const IDLE_MS = 15 * 60_000;
/** An engine that has not connected us with its guest by then will not; a login has its own time-out, before. */
export const CONNECT_MS = 30_000;
/** How long the engine is asked, after a guest's stream has ended, whether the guest is off. */
export const GUEST_LOOK_MS = 2_000;
/** Under the minute after which proxies and NATs forget a silent connection. */
export const PING_MS = 30_000;
/** How often sessions are looked at: idle, silent, expired ones end within this after their time. */
export const CHECK_MS = 5_000;
/** Shutdown waits so long for the other side to agree that it is over, then cuts. */
export const CLOSE_GRACE_MS = 2_000;

/** Bytes waiting for a slow reader at which its source is paused, and at which it goes on. */
export const HIGH_WATER_BYTES = 256 * 1024;
export const LOW_WATER_BYTES = 64 * 1024;
/** Largest frame taken from a caller; noVNC and terminals send far less, an SSH library at most a packet. */
export const MAX_FRAME_BYTES = 1024 * 1024;

/** Each open session costs some tens of kilobytes, a terminal also an SSH connection. Counted on each node. */
export const SESSIONS_PER_VM = 64;
/** So that one customer cannot take the service's share of everybody. */
export const SESSIONS_PER_ACCOUNT = 500;
/** 2,000 sessions at their buffers' high water are half a gigabyte: what a node can bear. */
export const SESSIONS_PER_NODE = 2_000;

/** Largest terminal, either way: more than any screen shows. */
export const MAX_TERMINAL_SIDE = 500;
/** Text messages say a size, in 60 characters. */
export const MAX_TEXT_BYTES = 256;
/** A window that is being dragged asks for a size with each frame; the guest gets the latest one, this often. */
export const RESIZE_MS = 250;
/**
 * Messages of less than {@link SMALL_MESSAGE_BYTES}, and pings, that are read of one session in a second: more than
 * anybody types or points, and few enough that a flood of them leaves the service idle. What is beyond waits in the
 * client's socket.
 */
export const SMALL_MESSAGES_PER_SECOND = 1_000;
/** The same of a viewer of a share link, who types and asks for sizes, and may be one of fifty strangers. */
export const VIEWER_MESSAGES_PER_SECOND = 200;
export const SMALL_MESSAGE_BYTES = 1_024;
/** What may come at once of them. */
export const SMALL_MESSAGES_IN_HAND_MS = 1_000;
/**
 * A socket that is held for them is held so long at least, because to hold it for each message would cost more than to
 * read it, and so long at most: 64 KiB of the smallest messages are read at once.
 */
export const FLOOD_MS = 250;
export const MAX_FLOOD_MS = 10_000;
export const DEFAULT_COLS = 80;
export const DEFAULT_ROWS = 24;

/** Share links that a VM can have at once: a list that people still understand. */
export const SHARES_PER_VM = 20;
export const MAX_VIEWERS = 50;
/** Lines above the screen that a late viewer is given too, as far as there is room for them. */
export const SHARED_SCROLLBACK_LINES = 1_000;
/** A shared screen's size is asked for by strangers; with {@link SHARED_SCROLLBACK_LINES} it takes 4 MB at the most. */
export const SHARED_SCREEN = { minCols: 20, maxCols: 300, minRows: 5, maxRows: 100 } as const;
/** What a late viewer is sent: it is put into an empty buffer, whose bound thus holds, with room for a message. */
export const MAX_PICTURE_BYTES = HIGH_WATER_BYTES - 1_024;
/** Cells, screen and lines above it, that one picture is made from; each takes a microsecond or two. */
export const MAX_PICTURE_CELLS = 1_024 * 80;
/** Part of the screens' thread that the pictures of one screen may take. */
export const DRAWING_SHARE = 0.1;
/** So often a screen is drawn for those who join or are behind; a few times at once, so that the first to come do not wait. */
export const PICTURE_MS = 250;
export const PICTURES_IN_HAND_MS = 1_000;
/**
 * What a shared shell may print, all its viewers counted: 1 MiB a second, and half a second's worth at once. A message
 * costs the event loop as much as a KiB, however short it is. A piece is what a tenth of a second has room for, within
 * bounds: fewer and larger ones cost less, and text must not stutter.
 */
export const OUTPUT = {
  bytesPerMs: 1_048.576,
  inHandMs: 500,
  bytesPerMessage: 1_024,
  pieceMs: 100,
  minPieceBytes: 2_048,
  maxPieceBytes: 32_768,
} as const;
/** Output beyond that is put together for so long at least: less than an eye notices. */
export const COALESCE_MS = 25;
/** Shells that are shared at once on a node, and of one account: half a gigabyte of screens together. */
export const ROOMS_PER_NODE = 128;
export const ROOMS_PER_ACCOUNT = 16;
/** Memory of the screens' thread beside the screens' cells; beyond it the thread ends, and the service goes on. */
export const SCREENS_HEAP_MB = 1_024;
/** The screens' thread answers within milliseconds; one that does not within this has hung, and is ended. */
export const SCREENS_ANSWER_MS = 60_000;
/** A viewer that has taken nothing for so long is not looking. */
export const BEHIND_MS = 30_000;
/** Looks at a link, and viewers of it, in a minute: a class of fifty that loads its page twice. */
export const OPENINGS_PER_LINK = 120;
/** The same of all links from one network: a class of fifty, and some that come back. */
export const OPENINGS_PER_NETWORK = 60;
/**
 * Each viewer costs ten queries; those of one link are let in this far apart, but for a few that come at once. As many
 * as a link may have in a minute all have their turn before {@link CONNECT_MS} is over.
 */
export const OPENING_MS = 200;
export const OPENINGS_IN_HAND_MS = 1_000;
/** A page that is loaded again finds its shell; one without a viewer is ended. */
export const EMPTY_ROOM_MS = 60_000;
