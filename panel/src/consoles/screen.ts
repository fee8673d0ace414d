import RFB from '@novnc/novnc';
import type { Console, Ending } from './console.ts';
import { screenTicket } from './ticket.ts';

/** The screen of a machine, in `place`. */
export function screen(vm: string, place: HTMLElement, ended: (ending: Ending) => void): Console {
  let rfb: RFB | undefined;
  return {
    async connect() {
      const { url, secret, password } = await screenTicket(vm);
      // Our own socket, because noVNC does not tell the code by which it was closed.
      const socket = new WebSocket(url, ['binary', secret]);
      let code = 1006;
      socket.addEventListener('close', (event) => {
        code = event.code;
      });
      place.replaceChildren();
      rfb = new RFB(place, socket, { shared: true, ...(password && { credentials: { password } }) });
      rfb.scaleViewport = true;
      // Where a machine's own pointer is not told, that of the browser would be hidden for nothing.
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
