import { type Duplex, pipeline } from 'node:stream';
import { createWebSocketStream } from 'ws';
import type { Logger } from '../../../platform/logging.ts';
import type { Instance } from '../instance.ts';
import { Attachment, type AttachmentParts, type ConsoleKind } from './attachment.ts';
import type { GraphicsScreen, Screens } from './screens.ts';
import type { Shown } from './shown.ts';

/** One connection to the guest's SPICE server for each of the three channels in use. */
const KIND: ConsoleKind = { body: { type: 'vga' }, connections: 3 };

export interface ShownGraphicsParts extends AttachmentParts {
  logger: Pick<Logger, 'warn'>;
  screens: Screens;
}

/** The graphics card of a virtual machine, which Incus offers over SPICE. */
export class ShownGraphics implements Shown {
  readonly #parts: ShownGraphicsParts;
  readonly #screen: GraphicsScreen;

  /** `end` is called if the guest's output cannot be shown: no picture is better than an incomplete one. */
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
      // Either end closes the other, and backpressure slows the sender to the pace of its reader.
      pipeline(guest, screen, guest, () => attachment.close());
    }
    return attachment;
  }

  close(): void {
    this.#screen.close();
  }
}
