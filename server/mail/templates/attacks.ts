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
    fragment_flood: 'flood of fragments',
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
        `The DDoS Shield of ${account} has noticed an attack on ${what}. It is not being dropped yet; if no rule stops it soon, you can write one.`,
      fact: (vm) => `${kind(vm, 'en')}; since ${when(vm.since, 'en')}`,
      action: ACTION.en,
    },
    de: {
      subject: (what) => `Angriff auf ${what}`,
      text: (what, account) =>
        `Der DDoS-Schutz von ${account} hat einen Angriff auf ${what} bemerkt. Er wird noch nicht abgewehrt; wenn ihn nicht bald eine Regel aufhält, können Sie selbst eine anlegen.`,
      fact: (vm) => `${kind(vm, 'de')}; seit ${when(vm.since, 'de')}`,
      action: ACTION.de,
    },
  },
  DETAILS,
);

export const attackMitigated = about(
  {
    en: {
      subject: (what) => `An attack is being dropped: ${what}`,
      text: (what, account) =>
        `The DDoS Shield of ${account} is dropping an attack on ${what}. There is nothing that you have to do.`,
      fact: (vm) => `${kind(vm, 'en')}; began ${when(vm.since, 'en')}, dropped from ${when(vm.at, 'en')} on`,
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
      subject: (what) => `The attack is over: ${what}`,
      text: (what, account) =>
        `The attack on ${what} of ${account} is over. Rules that were made against it stay in force for a few minutes, in case that it comes back.`,
      fact: (vm) => `${kind(vm, 'en')}; from ${when(vm.since, 'en')} to ${when(vm.at, 'en')}`,
      action: ACTION.en,
    },
    de: {
      subject: (what) => `Der Angriff ist vorbei: ${what}`,
      text: (what, account) =>
        `Der Angriff auf ${what} (${account}) ist vorbei. Regeln, die gegen ihn angelegt wurden, gelten noch einige Minuten, falls er wiederkommt.`,
      fact: (vm) => `${kind(vm, 'de')}; von ${when(vm.since, 'de')} bis ${when(vm.at, 'de')}`,
      action: ACTION.de,
    },
  },
  DETAILS,
);
