import { useQuery } from '@tanstack/react-query';
import type { JobErrorCode } from './api/codes.ts';
import type { JobError, VmEvent } from './api/customer.ts';
import { formatDecimal, formatMoney, formatTime } from './format.ts';
import type { GermanWords } from './happening-texts.ts';
import { wordOf } from './pages/machines/state.tsx';
import { machineTexts } from './pages/machines/texts.ts';
import { useLanguage } from './settings.ts';

const GERMAN = 'de-DE';

/** The German texts are loaded on demand: the service's own messages are English. */
const germanQuery = {
  queryKey: ['happening-texts'],
  queryFn: () => import('./happening-texts.ts'),
  staleTime: Number.POSITIVE_INFINITY,
};

const words: GermanWords = {
  money: (minor, currency) => formatMoney(minor, currency, GERMAN),
  decimal: (decimal, currency) => formatDecimal(decimal, currency, GERMAN),
  time: (iso) => formatTime(iso, GERMAN),
  job: (kind) => wordOf(machineTexts.de, `${kind}Job`),
};

/** Returns functions that describe events and job errors in the reader's language. */
export function useHappenings() {
  const isGerman = useLanguage() === 'de';
  const { data } = useQuery({ ...germanQuery, enabled: isGerman });
  const german = isGerman ? data : undefined;
  return {
    eventText: (event: VmEvent) => german?.eventText(event, words) ?? event.message,
    jobErrorText: ({ code, message }: JobError) => german?.JOB_ERROR_TEXTS[code as JobErrorCode] ?? message,
  };
}
