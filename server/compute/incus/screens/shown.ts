import type { Duplex } from 'node:stream';
import { IMAGE_KEYS, type Instance, imageOf, KEYS } from '../instance.ts';
import type { Attachment } from './attachment.ts';
import type { ScreenKind } from './messages.ts';

/** Shows one guest to its viewers across several attachments. */
export interface Shown {
  /** Returns a connection that speaks RFB from its first byte. */
  view(): Duplex;
  /** Attaches to a guest that is on and shows its output from now on. Throws the same errors as {@link Attachment.open}. */
  attach(instance: Instance, force: boolean): Promise<Attachment>;
  close(): void;
}

/**
 * Returns the kind of screen for a guest: graphics for a virtual machine, unless its operator or its image chooses
 * text.
 */
export function kindOf(instance: Instance): ScreenKind {
  if (instance.type !== 'virtual-machine') return 'text';
  const config = instance.expanded_config ?? instance.config;
  return (config[KEYS.screen] ?? imageOf(instance, IMAGE_KEYS.screen)) === 'text' ? 'text' : 'graphics';
}
