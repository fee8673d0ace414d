import RFB from '@novnc/novnc';
import type { Console, Ending } from './console.ts';
import { screenTicket } from './ticket.ts';

export function screen(vm: string, place: HTMLElement, ended: (ending: Ending) => void): Console {
  let rfb: RFB | undefined;
  return {
    async connect() {
      const { url, secret, password } = await screenTicket(vm);
      // Opens the socket here because noVNC does not report its close code.
      const socket = new WebSocket(url, ['binary', secret]);
      let code = 1006;
      socket.addEventListener('close', (event) => {
        code = event.code;
      });
      place.replaceChildren();
      rfb = new RFB(place, socket, { shared: true, ...(password && { credentials: { password } }) });
      rfb.scaleViewport = true;
      // noVNC hides the browser's pointer; without this there would be none at all if the machine sends no cursor.
      rfb.showDotCursor = true;
      rfb.background = 'transparent';
      const opened = rfb;
      rfb.addEventListener('disconnect', () => ended({ code }));
      await new Promise<void>((resolve) => {
        opened.addEventListener('connect', () => resolve());
        opened.addEventListener('disconnect', () => resolve());
      });
      rfb.focus();
    },
    tools: [{ name: 'keys', run: () => rfb?.sendCtrlAltDel() }],
  };
}
