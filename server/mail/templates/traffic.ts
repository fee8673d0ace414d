import { instant, type Locale } from '../content.ts';
import { about, MACHINES, TOP_UP, type VmNotice } from './vms.ts';

const when = ({ at }: VmNotice, locale: Locale) => (at === undefined ? '' : instant(at, locale));
const rate = {
  en: ({ throttleMbps = 0 }: VmNotice) =>
    throttleMbps === 0 ? 'its network is blocked' : `limited to ${throttleMbps} Mbit/s`,
  de: ({ throttleMbps = 0 }: VmNotice) =>
    throttleMbps === 0 ? 'das Netz ist gesperrt' : `begrenzt auf ${throttleMbps} Mbit/s`,
};

export const trafficLimited = about(
  {
    en: {
      subject: (what) => `Included traffic used up: ${what}`,
      text: (what, account, many) =>
        `${what} of ${account} ${many ? 'have used up the traffic included in their periods. Their' : 'has used up the traffic included in its period. Its'} network is limited until the next period begins. To lift the limit now, change to a plan with more traffic.`,
      fact: (vm) => `${rate.en(vm)} until ${when(vm, 'en')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Enthaltener Datenverkehr verbraucht: ${what}`,
      text: (what, account, many) =>
        `${what} (${account}) ${many ? 'haben' : 'hat'} den enthaltenen Datenverkehr des Zeitraums verbraucht. Das Netz ist bis zum Beginn des nächsten Zeitraums begrenzt. Ein Tarif mit mehr Datenverkehr beendet die Begrenzung sofort.`,
      fact: (vm) => `${rate.de(vm)} bis ${when(vm, 'de')}`,
      action: 'Zu den Maschinen',
    },
  },
  MACHINES,
);

export const usageUnpaid = about(
  {
    en: {
      subject: (what) => `Top up to lift the network limit of ${what}`,
      text: (what, account) =>
        `The wallet of ${account} does not cover the usage of its machines. The network of ${what} is limited until you top up.`,
      fact: rate.en,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Guthaben aufladen: ${what} ist begrenzt`,
      text: (what, account) =>
        `Das Guthaben von ${account} deckt den Verbrauch der Maschinen nicht. Das Netz von ${what} ist begrenzt, bis Sie Guthaben aufladen.`,
      fact: rate.de,
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);
