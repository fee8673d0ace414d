import type { Database } from '../../db/database.ts';
import {
  type AnnouncedAttack,
  lockUnannounced,
  setAnnounced,
} from '../../db/queries/shield/shield-announcements.ts';
import { mailVmNotice } from '../../mail/owners.ts';
import type { VmNotice } from '../../mail/templates/vms.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AttackMoment, Metrics } from '../../platform/metrics.ts';
import type { SecretBox } from '../../platform/secrets.ts';

/** Attacks per round, all in one transaction. */
const A_ROUND = 100;

interface Services {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  metrics: Metrics;
}

/**
 * Counts when attacks begin, are mitigated and end, and mails the owners of their targets, each once, whichever node
 * noticed. Kept apart from the code that stops attacks, which must not wait for anything.
 */
export async function announceAttacks({ db, clock, secrets, metrics }: Services): Promise<void> {
  const news = await db.transaction(async (tx) => {
    const found: AttackMoment[] = [];
    for (const attack of await lockUnannounced(tx, A_ROUND)) {
      const moments = momentsOf(attack);
      const fresh = moments.filter((moment) => !attack.announced.includes(moment));
      // The latest moment implies those before it, so only it is mailed. For an attack that recurs, only the first
      // occurrence is mailed.
      const latest = fresh.at(-1);
      if (latest && !attack.is_repeated) {
        const template = `attack_${latest}` as const;
        await mailVmNotice(tx, { clock, secrets }, attack.account_id, { template, notice: noticeOf(attack) });
      }
      await setAnnounced(tx, attack.id, moments);
      found.push(...fresh);
    }
    return found;
  });
  for (const moment of news) metrics.attack(moment);
}

function momentsOf({ mitigated_at, status }: AnnouncedAttack): AttackMoment[] {
  return [
    'started',
    ...(mitigated_at ? ['mitigated' as const] : []),
    ...(status === 'ended' ? ['ended' as const] : []),
  ];
}

function noticeOf(attack: AnnouncedAttack): VmNotice {
  const { hostname, ip, vectors, peak_bps, started_at, mitigated_at, ended_at } = attack;
  return {
    hostname: hostname ? `${hostname} (${ip})` : ip,
    vectors,
    peakMbps: Math.round(Number(peak_bps) / 1_000_000),
    at: (ended_at ?? mitigated_at ?? started_at).toISOString(),
    since: started_at.toISOString(),
  };
}
