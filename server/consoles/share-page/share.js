import { FitAddon } from './addon-fit.mjs';
import { Terminal } from './xterm.mjs';

const element = (id) => document.getElementById(id);
const show = (id, text) => {
  element(id).textContent = text;
};

const terminal = new Terminal({ cursorBlink: true, scrollback: 1000 });
const fit = new FitAddon();
terminal.loadAddon(fit);
terminal.open(element('terminal'));

// The fragment never leaves the browser; from here the secret goes into a header, never into a URL.
const secret = location.hash.slice(1);
const url = `${location.origin.replace(/^http/, 'ws')}${location.pathname}/socket`;
const socket = secret ? new WebSocket(url, ['vauban.share', secret]) : undefined;
const encoder = new TextEncoder();
let mode;

/** One shell has one size; who may type decides it, by the size of the window. */
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
  show('mode', mode === 'read_only' ? 'read only' : '');
  show('viewers', state.viewers === 1 ? '1 viewer' : `${state.viewers} viewers`);
  if (isFirst) askForSize();
}

function connect() {
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => show('status', 'Connected');
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') take(JSON.parse(data));
    else terminal.write(new Uint8Array(data));
  };
  socket.onclose = ({ code, reason }) => {
    terminal.options.disableStdin = true;
    const unknown = code === 1006 && mode === undefined;
    show('status', unknown ? 'This link is not valid, or not any more' : reason || 'Disconnected');
  };
  terminal.onData((text) => {
    if (mode === 'read_write' && socket.readyState === WebSocket.OPEN) socket.send(encoder.encode(text));
  });
  addEventListener('resize', askForSize);
  terminal.focus();
}

if (socket) connect();
else show('status', 'This link is incomplete');
