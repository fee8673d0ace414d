import { defineTexts } from '../../../texts.ts';

export const terminalTexts = defineTexts(
  {
    terminalOf: (name: string) => `Terminal of ${name}`,
    screenOf: (name: string) => `Screen of ${name}`,
    ownTab: 'Open in new tab',
    leave: 'It captures all keys. Press Ctrl+Alt+Enter to leave it.',
    opsKey:
      'You are signed in as the default user of the image, with the ops key that was installed when the machine was created.',
    screenIs: 'The output of a monitor, from the first second of a start. Click into it to type.',
    offTitle: 'The machine is not running',
    terminalOff: 'A terminal needs a running machine. Start it above; the screen shows its progress.',
    screenOff: 'A screen needs a running machine. Start it above.',
    shares: 'Shared terminals',
    sharesAre: 'Anyone with a link can join you in a shell on this machine, without an account.',
    share: 'Share terminal',
    shareTitle: 'Share a terminal',
    noShares: 'No shared terminals',
    noSharesHint:
      'A link lets someone watch or help. It expires automatically, and you can revoke it at any time.',
    label: 'Purpose',
    labelHint: 'Shown to anyone who opens the link, such as “Support, ticket 812”.',
    noLabel: 'Unnamed',
    mode: 'Access',
    read_only: 'Watch',
    read_write: 'Watch and type',
    readOnlyMeans: 'The service ignores everything they type.',
    readWriteMeans:
      'They can do everything that the default user of the machine can do, which is usually everything.',
    viewers: 'Viewers',
    lastUsed: 'Last used',
    never: 'never',
    ends: 'Expires',
    endsAfter: 'Expires after',
    quarter: '15 minutes',
    hour: '1 hour',
    day: '1 day',
    make: 'Create link',
    readyTitle: 'The link is ready',
    once: 'It is shown only once. Anyone who has it can watch until it expires.',
    onceWrite: 'It is shown only once. Anyone who has it can type on your machine until it expires.',
    link: 'Link',
    copiedIt: 'I have copied it',
    revoke: 'Revoke',
    revokeTitle: 'Revoke this link?',
    revokeMeans: (viewers: number) =>
      viewers > 0
        ? `It stops working permanently. ${viewers === 1 ? '1 viewer is' : `${viewers} viewers are`} disconnected at once.`
        : 'It stops working permanently.',
  },
  {
    terminalOf: (name: string) => `Terminal von ${name}`,
    screenOf: (name: string) => `Bildschirm von ${name}`,
    ownTab: 'In neuem Tab öffnen',
    leave: 'Es fängt alle Tasten ab. Mit Strg+Alt+Enter verlassen Sie es.',
    opsKey:
      'Sie sind als Standardbenutzer des Images angemeldet, mit dem Ops-Schlüssel, der beim Anlegen auf die Maschine kam.',
    screenIs:
      'Die Ausgabe eines Monitors, von der ersten Sekunde eines Starts an. Klicken Sie hinein, um zu tippen.',
    offTitle: 'Die Maschine läuft nicht',
    terminalOff:
      'Ein Terminal braucht eine laufende Maschine. Starten Sie sie oben; der Bildschirm zeigt, wie weit sie ist.',
    screenOff: 'Ein Bildschirm braucht eine eingeschaltete Maschine. Starten Sie sie oben.',
    shares: 'Geteilte Terminals',
    sharesAre:
      'Wer einen solchen Link hat, sieht zusammen mit Ihnen eine Shell auf dieser Maschine, ohne Konto.',
    share: 'Terminal teilen',
    shareTitle: 'Terminal teilen',
    noShares: 'Keine geteilten Terminals',
    noSharesHint:
      'Ein Link lässt jemanden zusehen oder helfen. Er läuft automatisch ab, und Sie können ihn jederzeit widerrufen.',
    label: 'Zweck',
    labelHint: 'Sieht, wer den Link öffnet, zum Beispiel „Support, Ticket 812“.',
    noLabel: 'Ohne Namen',
    mode: 'Zugriff',
    read_only: 'Zusehen',
    read_write: 'Zusehen und tippen',
    readOnlyMeans: 'Eingaben ignoriert der Dienst.',
    readWriteMeans:
      'Dort kann man alles tun, was der Standardbenutzer der Maschine kann, und das ist meistens alles.',
    viewers: 'Zuschauer',
    lastUsed: 'Zuletzt benutzt',
    never: 'nie',
    ends: 'Läuft ab',
    endsAfter: 'Läuft ab nach',
    quarter: '15 Minuten',
    hour: '1 Stunde',
    day: '1 Tag',
    make: 'Link erstellen',
    readyTitle: 'Der Link ist fertig',
    once: 'Er wird nur einmal angezeigt. Wer ihn hat, kann zusehen, bis er abläuft.',
    onceWrite: 'Er wird nur einmal angezeigt. Wer ihn hat, kann auf Ihrer Maschine tippen, bis er abläuft.',
    link: 'Link',
    copiedIt: 'Ich habe ihn kopiert',
    revoke: 'Widerrufen',
    revokeTitle: 'Diesen Link widerrufen?',
    revokeMeans: (viewers: number) =>
      viewers > 0
        ? `Er gilt dann nicht mehr. ${viewers === 1 ? '1 Zuschauer wird' : `${viewers} Zuschauer werden`} sofort getrennt.`
        : 'Er gilt dann nicht mehr.',
  },
);
