import { instant, type Locale } from '../content.ts';
import { about, MACHINES, type VmNotice } from './vms.ts';

const between = ({ at, thenAt }: VmNotice, locale: Locale) =>
  [at, thenAt].map((iso) => (iso === undefined ? '' : instant(iso, locale))) as [string, string];

export const moveScheduled = about(
  {
    en: {
      subject: (what) => `Maintenance: ${what} will be off for a moment`,
      text: (what, account) =>
        `${what} of ${account} will be switched off for a moment, moved to another host, and switched on again. Addresses and data stay. If another time suits you better, switch the machine off before: it is moved at once then.`,
      fact: (vm) => `between ${between(vm, 'en').join(' and ')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Wartung: ${what} wird kurz abgeschaltet`,
      text: (what, account) =>
        `${what} (${account}) wird kurz abgeschaltet, zieht auf einen anderen Host um und wird wieder eingeschaltet. Adressen und Daten bleiben. Passt Ihnen eine andere Zeit besser, schalten Sie die Maschine vorher aus: Dann zieht sie sofort um.`,
      fact: (vm) => `zwischen ${between(vm, 'de').join(' und ')}`,
      action: 'Zu den Maschinen',
    },
  },
  MACHINES,
);

export const moveCanceled = about(
  {
    en: {
      subject: (what) => `Maintenance canceled: ${what}`,
      text: (what, account) =>
        `The announced move of ${what} of ${account} does not take place. There is nothing for you to do.`,
      fact: (vm) => `it was to be between ${between(vm, 'en').join(' and ')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Wartung abgesagt: ${what}`,
      text: (what, account) =>
        `Der angekündigte Umzug von ${what} (${account}) findet nicht statt. Sie müssen nichts tun.`,
      fact: (vm) => `angekündigt war er zwischen ${between(vm, 'de').join(' und ')}`,
      action: 'Zu den Maschinen',
    },
  },
  MACHINES,
);
