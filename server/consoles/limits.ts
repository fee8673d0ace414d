/** The bounds of consoles, each with its reason. */

/** A ticket is fetched by a program and used at once; a minute bears a slow browser. */
export const TICKET_SECONDS = 60;
/** As long as people look away from a terminal without having forgotten it. No byte either way means idle. */
export const IDLE_MS = 15 * 60_000;
/** An engine that has not connected us with its guest by then will not; a login has its own time-out, before. */
export const CONNECT_MS = 30_000;
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

/** Largest terminal, either way: more than any screen shows, and the bound of a shared screen's memory. */
export const MAX_TERMINAL_SIDE = 500;
export const DEFAULT_COLS = 80;
export const DEFAULT_ROWS = 24;

/** Share links that a VM can have at once: a list that people still understand. */
export const SHARES_PER_VM = 20;
export const MAX_VIEWERS = 50;
/** Lines above the screen that a late viewer is given too. */
export const SHARED_SCROLLBACK_LINES = 1_000;
/** A page that is loaded again finds its shell; one that nobody looks at is ended. */
export const EMPTY_ROOM_MS = 60_000;
