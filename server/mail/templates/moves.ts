import { instant, type Locale } from '../content.ts';
import { about, MACHINES, type VmNotice } from './vms.ts';

const between = ({ at, thenAt }: VmNotice, locale: Locale) =>
  [at, thenAt].map((iso) => (iso === undefined ? '' : instant(iso, locale))) as [string, string];

export const moveScheduled = about(
  {
    en: {
      subject: (what) => `Maintenance: ${what} will be off briefly`,
      text: (what, account, many) =>
        `${what} of ${account} will be switched off briefly, moved to another host and switched on again. Addresses and data stay the same. If another time suits you better, switch the ${many ? 'machines off before then: they' : 'machine off before then: it'} will be moved at once.`,
      fact: (vm) => `between ${between(vm, 'en').join(' and ')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Wartung: ${what} wird kurz abgeschaltet`,
      text: (what, account, many) =>
        many
          ? `${what} (${account}) werden kurz abgeschaltet, ziehen auf andere Hosts um und werden wieder eingeschaltet. Adressen und Daten bleiben. Passt Ihnen eine andere Zeit besser, schalten Sie die Maschinen vorher aus: Dann ziehen sie sofort um.`
          : `${what} (${account}) wird kurz abgeschaltet, zieht auf einen anderen Host um und wird wieder eingeschaltet. Adressen und Daten bleiben. Passt Ihnen eine andere Zeit besser, schalten Sie die Maschine vorher aus: Dann zieht sie sofort um.`,
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
        `The announced move of ${what} of ${account} has been canceled. You do not have to do anything.`,
      fact: (vm) => `was planned between ${between(vm, 'en').join(' and ')}`,
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
