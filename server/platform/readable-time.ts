const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
] as const;

/**
 * Formats an instant for an English sentence, in UTC and to the minute: "1 February 2026 at 09:30 UTC". Does not use
 * `Intl`, because the texts are stored and must not depend on the version of Node that wrote them.
 */
export function readableTime(at: Date): string {
  const time = at.toISOString().slice(11, 16);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()} at ${time} UTC`;
}

/** Returns an English ordinal in digits, such as "2nd" or "11th". */
export function ordinal(count: number): string {
  const isTeen = count % 100 >= 11 && count % 100 <= 13;
  return `${count}${(!isTeen && ['th', 'st', 'nd', 'rd'][count % 10]) || 'th'}`;
}
