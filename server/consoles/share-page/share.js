import { FitAddon } from './addon-fit.mjs';
import { Terminal } from './xterm.mjs';

/** While the window is being dragged, only its last size is requested. */
const RESIZE_MS = 100;
/** Interval between updates of the remaining time. */
const TICK_MS = 15_000;

/** The title and text shown when the terminal has ended, and true if opening the link again may help. */
const NOTICES = {
  over: [
    'This link no longer works',
    'It has expired, was revoked or was not copied completely. Ask the person who sent it for a new one.',
  ],
  incomplete: ['This link is incomplete', 'The part after the # is missing. Copy the whole link.'],
  busy: [
    'Too many attempts',
    'This link or your network has opened too many terminals. Wait a minute.',
    true,
  ],
  lost: ['No connection', 'The service cannot be reached at the moment.', true],
  1000: ['The session has ended', 'The shell has exited. Open the link again to start a new one.', true],
  1001: ['The service is restarting', 'It will be back in a moment.', true],
  4000: ['The session was closed', 'It was idle for 15 minutes.', true],
  4001: ['The VM is off', 'The link works again when the VM is running.', true],
  4002: [
    'This link no longer works',
    'It was revoked or has expired. Ask the person who sent it for a new one.',
  ],
  4003: ['The VM does not answer', 'It may still be starting.', true],
  4004: ['The VM refused the login', 'The service could not log in.', true],
  4005: [
    'The host key has changed',
    'It is not the one that the VM had before, so the service did not log in.',
  ],
  4006: ['Too many sessions', 'The maximum number of open terminals is reached.', true],
  4007: ['The link is full', 'The maximum number of viewers is reached. Wait until one leaves.', true],
  4008: ['The connection was too slow', 'No data was read for 30 seconds.', true],
  4009: ['The terminal was lost', 'Open the link again to start a new one.', true],
};

const element = (id) => document.getElementById(id);
const show = (id, text) => {
  element(id).textContent = text;
};

// The fragment never leaves the browser; from here the secret goes into a header, never into a URL.
const secret = location.hash.slice(1);
const base = `${location.origin}${location.pathname}`;
const encoder = new TextEncoder();
const terminal = new Terminal({ cursorBlink: true, scrollback: 1000, minimumContrastRatio: 4.5 });
const fit = new FitAddon();
terminal.loadAddon(fit);
terminal.open(element('terminal'));

let socket;
let mode;
let resizing;

/** Hides the terminal and shows why it ended. */
function end(why) {
  const [title, text, again = false] = NOTICES[why] ?? NOTICES.lost;
  show('notice-title', title);
  show('notice-text', text);
  element('again').hidden = !again;
  element('terminal').hidden = true;
  element('notice').hidden = false;
  for (const id of ['mode', 'viewers']) show(id, '');
  if (why === 'over' || why === 4002) show('end', '');
  show('status', 'Closed');
}

/** Returns information about the link, or why it cannot be opened. */
async function lookUp() {
  if (!secret) return { why: 'incomplete' };
  try {
    const reply = await fetch(`${base}/about`, {
      headers: { authorization: `Bearer ${secret}` },
      cache: 'no-store',
    });
    if (reply.ok) return { link: (await reply.json()).data };
    return { why: reply.status === 429 ? 'busy' : reply.status < 500 ? 'over' : 'lost' };
  } catch {
    return { why: 'lost' };
  }
}

function describe({ hostname, label, expires_at }) {
  show('machine', hostname);
  show('label', label ?? '');
  element('label').hidden = !label;
  const at = new Date(expires_at);
  // biome-ignore lint/style/noRestrictedGlobals: shows a time
  const time = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
  const tick = () => {
    const minutes = Math.max(0, Math.ceil((at - Date.now()) / 60_000));
    const left =
      minutes > 90 ? `${Math.round(minutes / 60)} hours` : minutes === 1 ? '1 minute' : `${minutes} minutes`;
    show('end', `Ends ${time}, in ${left}`);
  };
  tick();
  return setInterval(tick, TICK_MS);
}

/** One shell has one size: that of the window of a viewer who may type. */
function askForSize() {
  const size = fit.proposeDimensions();
  if (mode !== 'read_write' || !size?.cols || socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ type: 'resize', cols: size.cols, rows: size.rows }));
}

function take(state) {
  const isFirst = mode === undefined;
  mode = state.mode;
  terminal.resize(state.cols, state.rows);
  terminal.options.disableStdin = mode === 'read_only';
  show('mode', mode === 'read_only' ? 'Read only' : 'You can type');
  show('viewers', state.viewers === 1 ? '1 viewer' : `${state.viewers} viewers`);
  if (isFirst) askForSize();
}

async function connect() {
  element('terminal').hidden = false;
  element('notice').hidden = true;
  show('status', 'Connecting…');
  mode = undefined;
  const { link, why } = await lookUp();
  if (!link) return end(why);
  const ticking = describe(link);
  socket = new WebSocket(`${base.replace(/^http/, 'ws')}/socket`, ['vauban.share', secret]);
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => show('status', 'Connected');
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') take(JSON.parse(data));
    else terminal.write(new Uint8Array(data));
  };
  socket.onclose = async ({ code }) => {
    clearInterval(ticking);
    terminal.options.disableStdin = true;
    // The connection was cut without a close code: either the link or the network may be the cause.
    end(code === 1006 ? ((await lookUp()).why ?? 'lost') : code);
  };
  terminal.focus();
}

terminal.onData((text) => {
  if (mode === 'read_write' && socket.readyState === WebSocket.OPEN) socket.send(encoder.encode(text));
});
addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(askForSize, RESIZE_MS);
});
addEventListener('hashchange', () => location.reload());
element('again').addEventListener('click', connect);
connect();
