import type { Duplex } from 'node:stream';
import { IMAGE_KEYS, type Instance, imageOf, KEYS } from '../instance.ts';
import type { Attachment } from './attachment.ts';
import type { ScreenKind } from './messages.ts';

/** What shows one guest to its viewers, from one attachment to the next. */
export interface Shown {
  /** A connection that speaks RFB from its first byte. */
  view(): Duplex;
  /** Attaches to a guest that is on, and shows what it does from now on. Throws as {@link Attachment.open}. */
  attach(instance: Instance, force: boolean): Promise<Attachment>;
  close(): void;
}

/** What is shown of a guest: of a virtual machine its graphics, unless its operator or its image says otherwise. */
export function kindOf(instance: Instance): ScreenKind {
  if (instance.type !== 'virtual-machine') return 'text';
  const config = instance.expanded_config ?? instance.config;
  return (config[KEYS.screen] ?? imageOf(instance, IMAGE_KEYS.screen)) === 'text' ? 'text' : 'graphics';
}
