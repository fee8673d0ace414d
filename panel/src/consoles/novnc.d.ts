/** The part of noVNC that we use; it ships no types. */
declare module '@novnc/novnc' {
  interface Options {
    shared?: boolean;
    credentials?: { password?: string };
    wsProtocols?: string[];
  }
  interface Events {
    connect: CustomEvent<undefined>;
    disconnect: CustomEvent<{ clean: boolean }>;
    desktopname: CustomEvent<{ name: string }>;
  }
  export default class RFB extends EventTarget {
    constructor(target: HTMLElement, channel: string | WebSocket, options?: Options);
    scaleViewport: boolean;
    resizeSession: boolean;
    clipViewport: boolean;
    showDotCursor: boolean;
    background: string;
    focus(options?: FocusOptions): void;
    disconnect(): void;
    sendCtrlAltDel(): void;
    clipboardPasteFrom(text: string): void;
    addEventListener<Name extends keyof Events>(type: Name, listener: (event: Events[Name]) => void): void;
  }
}
