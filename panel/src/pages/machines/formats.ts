import { scaled } from '../../charts/series.ts';
import { formatNumber, localeNow } from '../../format.ts';

const MB_PER_GB = 1024;

/** Formats memory as it is sold: "16 GB", or "512 MB" below 1 GB. */
export function formatRam(mb: number, locale = localeNow()): string {
  return mb < MB_PER_GB ? `${formatNumber(mb, locale)} MB` : `${formatNumber(mb / MB_PER_GB, locale, 1)} GB`;
}

export const formatDisk = (gb: number, locale = localeNow()) =>
  gb >= 10_000 ? `${formatNumber(gb / 1000, locale, 1)} TB` : `${formatNumber(gb, locale)} GB`;

/** Formats a rate with its prefix: "412 Mbit/s", "2.1 kpps". Small values keep one decimal. */
export function formatRate(
  value: number,
  unit: string,
  base: 1000 | 1024 = 1000,
  locale = localeNow(),
): string {
  const { value: shown, prefix } = scaled(value, base);
  return `${formatNumber(shown, locale, shown !== 0 && shown < 10 ? 1 : 0)} ${prefix}${unit}`;
}

export const formatPercent = (value: number, locale = localeNow()) =>
  `${formatNumber(value, locale, value !== 0 && value < 10 ? 1 : 0)} %`;

/** Formats a duration: "3 s", "12 min", "2 h 5 min", "4 d". */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 && minutes < 10 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} d`;
}
