import { defineTexts } from '../../../texts.ts';

export const terminalTexts = defineTexts(
  {
    terminalOf: (name: string) => `Terminal of ${name}`,
    screenOf: (name: string) => `Screen of ${name}`,
    ownTab: 'Open in a tab of its own',
    leave: 'It takes every key; Ctrl+Alt+Enter leads out of it.',
    opsKey:
      'You are signed in as the default user of its image, by the ops key that was put on the machine when it was made.',
    screenIs: 'What a monitor would show, from the first second of a start on. To type, click into it.',
    offTitle: 'The machine is not running',
    terminalOff:
      'A terminal needs a machine that runs. Start it above; while it starts, its screen shows how far it is.',
    screenOff: 'A screen needs a machine that is on. Start it above.',
    shares: 'Shared terminals',
    sharesAre:
      'Anyone with such a link sees one shell on this machine, together with you, without an account.',
    share: 'Share a terminal',
    shareTitle: 'Share a terminal',
    noShares: 'Nothing is shared',
    noSharesHint:
      'A link lets someone look over your shoulder, or help. It ends by itself, and you can revoke it at any time.',
    label: 'What for',
    labelHint: 'Shown to anyone who opens the link, such as “Support, ticket 812”.',
    noLabel: 'Without a name',
    mode: 'May',
    read_only: 'Look',
    read_write: 'Look and type',
    readOnlyMeans: 'What they type is ignored by the service.',
    readWriteMeans:
      'They can do everything that the default user of the machine can do, which is usually everything.',
    viewers: 'Viewers',
    lastUsed: 'Last used',
    never: 'never',
    ends: 'Ends',
    endsAfter: 'Ends after',
    quarter: '15 minutes',
    hour: 'an hour',
    day: 'a day',
    make: 'Make the link',
    readyTitle: 'The link is ready',
    once: 'It is shown only once. Anyone who has it can watch until it ends.',
    onceWrite: 'It is shown only once. Anyone who has it can type on your machine until it ends.',
    link: 'Link',
    copiedIt: 'I have it',
    revoke: 'Revoke',
    revokeTitle: 'Revoke this link?',
    revokeMeans: (viewers: number) =>
      viewers > 0
        ? `It ends permanently. ${viewers === 1 ? '1 viewer is' : `${viewers} viewers are`} cut off at once.`
        : 'It ends permanently.',
  },
  {
    terminalOf: (name: string) => `Terminal von ${name}`,
    screenOf: (name: string) => `Bildschirm von ${name}`,
    ownTab: 'In eigenem Tab öffnen',
    leave: 'Darin gilt jede Taste; Strg+Alt+Enter führt hinaus.',
    opsKey:
      'Sie sind als Standardbenutzer des Images angemeldet, mit dem Ops-Schlüssel, der beim Anlegen auf die Maschine kam.',
    screenIs:
      'Was ein Monitor zeigen würde, von der ersten Sekunde eines Starts an. Zum Tippen hineinklicken.',
    offTitle: 'Die Maschine läuft nicht',
    terminalOff:
      'Ein Terminal braucht eine laufende Maschine. Starten Sie sie oben; während sie startet, zeigt ihr Bildschirm, wie weit sie ist.',
    screenOff: 'Ein Bildschirm braucht eine eingeschaltete Maschine. Starten Sie sie oben.',
    shares: 'Geteilte Terminals',
    sharesAre:
      'Wer einen solchen Link hat, sieht zusammen mit Ihnen eine Shell auf dieser Maschine, ohne Konto.',
    share: 'Terminal teilen',
    shareTitle: 'Terminal teilen',
    noShares: 'Nichts ist geteilt',
    noSharesHint:
      'Ein Link lässt jemanden zusehen oder helfen. Er endet von selbst, und Sie können ihn jederzeit widerrufen.',
    label: 'Wofür',
    labelHint: 'Sieht, wer den Link öffnet, zum Beispiel „Support, Ticket 812“.',
    noLabel: 'Ohne Namen',
    mode: 'Darf',
    read_only: 'Zusehen',
    read_write: 'Zusehen und tippen',
    readOnlyMeans: 'Was dort getippt wird, beachtet der Dienst nicht.',
    readWriteMeans:
      'Dort kann man alles tun, was der Standardbenutzer der Maschine kann, und das ist meistens alles.',
    viewers: 'Zuschauer',
    lastUsed: 'Zuletzt benutzt',
    never: 'nie',
    ends: 'Endet',
    endsAfter: 'Endet nach',
    quarter: '15 Minuten',
    hour: 'einer Stunde',
    day: 'einem Tag',
    make: 'Link erstellen',
    readyTitle: 'Der Link ist fertig',
    once: 'Er wird nur jetzt gezeigt. Wer ihn hat, kann zusehen, bis er endet.',
    onceWrite: 'Er wird nur jetzt gezeigt. Wer ihn hat, kann auf Ihrer Maschine tippen, bis er endet.',
    link: 'Link',
    copiedIt: 'Ich habe ihn',
    revoke: 'Widerrufen',
    revokeTitle: 'Diesen Link widerrufen?',
    revokeMeans: (viewers: number) =>
      viewers > 0
        ? `Er endet endgültig. ${viewers} Zuschauer werden sofort getrennt.`
        : 'Er endet endgültig.',
  },
);
