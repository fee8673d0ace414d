import { instant, type Locale } from '../content.ts';
import { about, type VmNotice } from './vms.ts';

const when = (iso: string | undefined, locale: Locale) => (iso === undefined ? '' : instant(iso, locale));
const NAMES: Record<Locale, Record<string, string>> = {
  en: {
    syn_flood: 'SYN flood',
    udp_flood: 'UDP flood',
    dns_amplification: 'DNS amplification',
    ntp_amplification: 'NTP amplification',
    icmp_flood: 'ICMP flood',
    fragment_flood: 'fragment flood',
    other: 'other traffic',
  },
  de: {
    syn_flood: 'SYN-Flut',
    udp_flood: 'UDP-Flut',
    dns_amplification: 'DNS-Verstärkung',
    ntp_amplification: 'NTP-Verstärkung',
    icmp_flood: 'ICMP-Flut',
    fragment_flood: 'Flut von Fragmenten',
    other: 'sonstiger Datenverkehr',
  },
};
/** Names the kind of attack, if known already, and its size. */
const kind = ({ vectors = [], peakMbps = 0 }: VmNotice, locale: Locale) =>
  [...vectors.map((vector) => NAMES[locale][vector] ?? vector), `${peakMbps} Mbit/s`].join(', ');

const DETAILS = '/machines';
const ACTION = { en: 'Go to the machines', de: 'Zu den Maschinen' };

export const attackStarted = about(
  {
    en: {
      subject: (what) => `Under attack: ${what}`,
      text: (what, account) =>
        `The DDoS Shield of ${account} has detected an attack on ${what}. Its traffic is not being dropped yet. If no rule stops it soon, you can add your own.`,
      fact: (vm) => `${kind(vm, 'en')}; since ${when(vm.since, 'en')}`,
      action: ACTION.en,
    },
    de: {
      subject: (what) => `Angriff auf ${what}`,
      text: (what, account) =>
        `Der DDoS-Schutz von ${account} hat einen Angriff auf ${what} erkannt. Er wird noch nicht abgewehrt. Wenn ihn nicht bald eine Regel aufhält, können Sie selbst eine anlegen.`,
      fact: (vm) => `${kind(vm, 'de')}; seit ${when(vm.since, 'de')}`,
      action: ACTION.de,
    },
  },
  DETAILS,
);

export const attackMitigated = about(
  {
    en: {
      subject: (what) => `Attack mitigated: ${what}`,
      text: (what, account) =>
        `The DDoS Shield of ${account} is dropping the traffic of an attack on ${what}. You do not have to do anything.`,
      fact: (vm) => `${kind(vm, 'en')}; started ${when(vm.since, 'en')}, dropped since ${when(vm.at, 'en')}`,
      action: ACTION.en,
    },
    de: {
      subject: (what) => `Ein Angriff wird abgewehrt: ${what}`,
      text: (what, account) =>
        `Der DDoS-Schutz von ${account} wehrt einen Angriff auf ${what} ab. Sie müssen nichts tun.`,
      fact: (vm) => `${kind(vm, 'de')}; Beginn ${when(vm.since, 'de')}, abgewehrt ab ${when(vm.at, 'de')}`,
      action: ACTION.de,
    },
  },
  DETAILS,
);

export const attackEnded = about(
  {
    en: {
      subject: (what) => `Attack ended: ${what}`,
      text: (what, account) =>
        `The attack on ${what} of ${account} is over. The rules against it stay active for a few more minutes in case it resumes.`,
      fact: (vm) => `${kind(vm, 'en')}; from ${when(vm.since, 'en')} to ${when(vm.at, 'en')}`,
      action: ACTION.en,
    },
    de: {
      subject: (what) => `Der Angriff ist vorbei: ${what}`,
      text: (what, account) =>
        `Der Angriff auf ${what} (${account}) ist vorbei. Die Regeln gegen ihn gelten noch einige Minuten, falls er wieder beginnt.`,
      fact: (vm) => `${kind(vm, 'de')}; von ${when(vm.since, 'de')} bis ${when(vm.at, 'de')}`,
      action: ACTION.de,
    },
  },
  DETAILS,
);
