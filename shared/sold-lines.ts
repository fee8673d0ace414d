/** English beginnings of line descriptions, and the German text, given the rest of the description. */
const SOLD: readonly (readonly [english: string, german: (rest: string) => string])[] = [
  ['Grace on ', (name) => `Nachfrist für ${name}`],
  ['Unused time on ', (name) => `Nicht genutzte Zeit von ${name}`],
  ['Unused month of ', (name) => `Nicht genutzter Monat von ${name}`],
  ['Used time on ', (name) => `Genutzte Zeit von ${name}`],
  ['Remaining time on ', (name) => `Restliche Zeit von ${name}`],
  ['Use that was credited before', (rest) => `Nutzung, die schon gutgeschrieben war${rest}`],
  ['Traffic used ahead of time', (rest) => `Vorzeitig verbrauchter Datenverkehr${rest}`],
  ['Traffic of ', (rest) => `Datenverkehr von ${figures(rest)}`],
  ['Snapshots of ', (rest) => `Snapshots von ${figures(rest)}`],
  ['Refund of ', (rest) => `Erstattung: ${corrected(rest)}`],
  ['Void of ', (rest) => `Storno: ${corrected(rest)}`],
  ['Credit: ', (reason) => `Gutschrift: ${reason}`],
  ['Debit: ', (reason) => `Belastung: ${reason}`],
  ['SLA credit, ', (rest) => `Gutschrift nach SLA, ${share(rest)}`],
];

/** Returns the German text for a line of a document, given the English description that is stored with the line. */
export function soldInGerman(description: string): string {
  const known = SOLD.find(([english]) => description.startsWith(english));
  return known ? known[1](description.slice(known[0].length)) : hours(description);
}

/** "Shared S1, 3 hours" */
function hours(description: string): string {
  const end = [' hours', ' hour'].find((word) => description.endsWith(word));
  if (end === undefined) return description;
  return `${description.slice(0, -end.length)}${end === ' hour' ? ' Stunde' : ' Stunden'}`;
}

/** "Shared S1: 12.5 GB, 10 GB included". A name may also contain a point. */
function figures(rest: string): string {
  const at = rest.lastIndexOf(':');
  const said = rest.slice(at).replaceAll('.', ',');
  return rest.slice(0, at) + said.replace('included', 'inklusive').replace('GB-months', 'GB-Monate');
}

/** "Unused time on Shared S1 (goodwill)": a line, with the reason for its correction. */
function corrected(rest: string): string {
  const at = rest.indexOf(' (');
  return at < 0 ? soldInGerman(rest) : soldInGerman(rest.slice(0, at)) + rest.slice(at);
}

/** "12.5 % of the month: outage in Cologne" */
function share(rest: string): string {
  const [percent, ...reason] = rest.split(' % of the month: ');
  return `${percent!.replace('.', ',')} % des Monats: ${reason.join(' % of the month: ')}`;
}
