import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { Console, Ending } from './console.ts';
import { terminalTicket } from './ticket.ts';

/** While a window is being dragged, only its last size is sent. */
const RESIZE_MS = 100;
/** Lines of scrollback; a hundred lines take a few kilobytes. */
const SCROLLBACK = 5_000;

export function terminal(vm: string, place: HTMLElement, ended: (ending: Ending) => void): Console {
  const view = new Terminal({
    cursorBlink: true,
    scrollback: SCROLLBACK,
    minimumContrastRatio: 4.5,
    fontFamily: '"JetBrains Mono", ui-monospace, monospace',
    fontSize: 13,
    theme: { background: '#101317', foreground: '#e6e8eb', cursor: '#e6e8eb' },
  });
  const fit = new FitAddon();
  view.loadAddon(fit);
  view.open(place);
  fit.fit();
  const encoder = new TextEncoder();
  let socket: WebSocket | undefined;
  const send = (data: string | Uint8Array<ArrayBuffer>) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(data);
  };
  view.onData((text) => send(encoder.encode(text)));
  view.onBinary((text) => send(Uint8Array.from(text, (character) => character.charCodeAt(0))));
  view.onResize(({ cols, rows }) => send(JSON.stringify({ type: 'resize', cols, rows })));
  let waiting: ReturnType<typeof setTimeout> | undefined;
  new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => fit.fit(), RESIZE_MS);
  }).observe(place);
  return {
    async connect() {
      const { url, secret } = await terminalTicket(vm, { cols: view.cols, rows: view.rows });
      view.reset();
      view.options.disableStdin = false;
      const opened = new WebSocket(url, ['vauban.ssh', secret]);
      opened.binaryType = 'arraybuffer';
      opened.onmessage = ({ data }) => {
        if (data instanceof ArrayBuffer) view.write(new Uint8Array(data));
      };
      opened.onclose = ({ code }) => {
        view.options.disableStdin = true;
        ended({ code });
      };
      socket = opened;
      await new Promise<void>((resolve) => {
        opened.addEventListener('open', () => resolve(), { once: true });
        opened.addEventListener('close', () => resolve(), { once: true });
      });
      // The window may have been resized while the ticket was requested.
      send(JSON.stringify({ type: 'resize', cols: view.cols, rows: view.rows }));
      view.focus();
    },
    tools: [],
  };
}
