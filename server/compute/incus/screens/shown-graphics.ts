import { type Duplex, pipeline } from 'node:stream';
import { createWebSocketStream } from 'ws';
import type { Logger } from '../../../platform/logging.ts';
import type { Instance } from '../instance.ts';
import { Attachment, type AttachmentParts, type ConsoleKind } from './attachment.ts';
import type { GraphicsScreen, Screens } from './screens.ts';
import type { Shown } from './shown.ts';

/** A connection to the guest's SPICE server for each channel that is used. */
const KIND: ConsoleKind = { body: { type: 'vga' }, connections: 3 };

export interface ShownGraphicsParts extends AttachmentParts {
  logger: Pick<Logger, 'warn'>;
  screens: Screens;
}

/** What the graphics card of a virtual machine shows, which Incus has as SPICE. */
export class ShownGraphics implements Shown {
  readonly #parts: ShownGraphicsParts;
  readonly #screen: GraphicsScreen;

  /** `end` is called where the guest shows what cannot be shown: no picture is better than one with parts missing. */
  constructor(id: string, parts: ShownGraphicsParts, end: () => void) {
    this.#parts = parts;
    this.#screen = parts.screens.openGraphics(id, (reason) => {
      parts.logger.warn({ guest: id, reason }, 'the graphical screen of a guest cannot be shown');
      end();
    });
  }

  view(): Duplex {
    return this.#screen.view();
  }

  async attach(instance: Instance, force: boolean): Promise<Attachment> {
    const attachment = await Attachment.open(this.#parts, instance, KIND, force);
    const { main, display, inputs } = this.#screen.attach();
    for (const [at, screen] of [main, display, inputs].entries()) {
      const guest = createWebSocketStream(attachment.connections[at]!);
      // Either end takes the other with it, and what is said slows down to the pace of its reader.
      pipeline(guest, screen, guest, () => attachment.close());
    }
    return attachment;
  }

  close(): void {
    this.#screen.close();
  }
}
