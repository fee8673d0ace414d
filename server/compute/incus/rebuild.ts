import type { Clock } from '../../platform/clock.ts';
import { parseJson } from '../../platform/peer/json.ts';
import { converge } from './converge.ts';
import { asideNameOf, type Instance, KEYS, nameOf } from './instance.ts';
import type { Instances } from './instances.ts';
import { requireOff } from './power.ts';
import { isSameCard } from './specification.ts';

interface RebuildParts {
  clock: Clock;
  instances: Instances;
  /**
   * Creates the guest's instance if it is missing or incomplete, with additional configuration and the limits of
   * another instance's network card.
   */
  make(config: Record<string, string>, card: Record<string, string> | undefined): Promise<void>;
  drop(name: string): Promise<void>;
}

/**
 * A guest's instances: the current one, and one that a rebuild has renamed and set aside, marked with the rebuild's id
 * as `aside`. Until the rebuild is finished or undone, the new instance is marked with its id as `rebuild`.
 */
interface Pair {
  main: Instance | undefined;
  aside: Instance | undefined;
}

/** Removes the card: its addresses and MAC address belong to the instance that replaced it. */
const NO_CARD = { type: 'none' };

export async function rebuildGuest(parts: RebuildParts, id: string, rebuildId: string): Promise<void> {
  let { main, aside } = await pairOf(parts, id);
  if (aside && aside.config[KEYS.aside] !== rebuildId) {
    // Left by another rebuild. If no instance has replaced it, that rebuild had only just begun.
    if (main) await parts.drop(aside.name);
    else await bringBack(parts, id, aside, cardOf(aside));
    ({ main, aside } = await pairOf(parts, id));
  }
  const isMade = main?.config[KEYS.rebuild] === rebuildId;
  if (main && !isMade && !aside) {
    requireOff(main, 'rebuilt');
    await setAside(parts, id, main, rebuildId);
    aside = main;
  } else if (main && !isMade) {
    // The rebuild is already finished and was requested again.
    return;
  }
  const former = isMade ? main : aside;
  await parts.make({ [KEYS.rebuild]: rebuildId }, former && cardOf(former));
}

/** Discards the instance that the rebuild has set aside. */
export async function finishRebuild(parts: RebuildParts, id: string, rebuildId: string): Promise<void> {
  const { main, aside } = await pairOf(parts, id);
  // Comes first: from now on, the rebuild can no longer be undone.
  if (main?.config[KEYS.rebuild] === rebuildId) await change(parts, main.name, { [KEYS.rebuild]: '' });
  if (main && aside?.config[KEYS.aside] === rebuildId) await parts.drop(aside.name);
}

/**
 * Restores the instance that the rebuild has set aside. Returns false if there is none to restore, so the guest created
 * by the rebuild should be removed.
 */
export async function undoRebuild(parts: RebuildParts, id: string, rebuildId: string): Promise<boolean> {
  const { main, aside } = await pairOf(parts, id);
  const isMade = main?.config[KEYS.rebuild] === rebuildId;
  const isAside = aside?.config[KEYS.aside] === rebuildId;
  if (aside && isAside && (isMade || !main)) {
    if (main) {
      requireOff(main, 'brought back');
      await parts.drop(main.name);
    }
    // If the new instance was never created, the old one's own card is all there is.
    await bringBack(parts, id, aside, cardOf(main ?? aside));
  } else if (main && !aside && main.config[KEYS.aside] === rebuildId) {
    // It was about to be set aside, or has already been restored.
    await putBack(parts, main.name, cardOf(main));
  } else if (aside && isAside) {
    // The rebuild had been finished before.
    await parts.drop(aside.name);
  } else if (isMade) return false;
  return true;
}

async function pairOf({ instances }: RebuildParts, id: string): Promise<Pair> {
  return { main: await instances.find(nameOf(id)), aside: await instances.find(asideNameOf(id)) };
}

async function setAside(parts: RebuildParts, id: string, main: Instance, rebuildId: string): Promise<void> {
  const card = JSON.stringify(cardOf(main));
  await change(parts, main.name, { [KEYS.aside]: rebuildId, [KEYS.rebuild]: '', [KEYS.card]: card }, NO_CARD);
  await rename(parts, main.name, asideNameOf(id));
}

/** Returns an instance's network card, or the one it had before it was set aside. */
function cardOf({ config, devices }: Instance): Record<string, string> {
  const { eth0 = NO_CARD } = devices;
  const kept = config[KEYS.card];
  const isKept = kept && isSameCard(eth0, NO_CARD);
  return isKept ? (parseJson(kept, 'the cluster') as Record<string, string>) : eth0;
}

async function bringBack(
  parts: RebuildParts,
  id: string,
  aside: Instance,
  card: Record<string, string>,
): Promise<void> {
  await rename(parts, aside.name, nameOf(id));
  await putBack(parts, nameOf(id), card);
}

/** Gives an instance a card again: its former one, or that of the instance that had replaced it. */
async function putBack(parts: RebuildParts, name: string, card: Record<string, string>): Promise<void> {
  await change(parts, name, { [KEYS.aside]: '', [KEYS.card]: '' }, card);
}

async function rename({ clock, instances }: RebuildParts, from: string, to: string): Promise<void> {
  await converge(clock, {
    look: () => instances.find(from),
    isDone: (now) => now === undefined,
    step: (now) => instances.work(now!, 'POST', { body: { name: to } }),
  });
}

async function change(
  { clock, instances }: RebuildParts,
  name: string,
  config: Record<string, string>,
  card?: Record<string, string>,
): Promise<void> {
  await converge(clock, {
    look: () => instances.find(name),
    isDone: (now) =>
      now === undefined ||
      (Object.entries(config).every(([key, text]) => (now.config[key] ?? '') === text) &&
        (!card || isSameCard(now.devices.eth0 ?? {}, card))),
    step: (now) => instances.change(now!, { config, ...(card && { devices: { eth0: card } }) }),
  });
}
