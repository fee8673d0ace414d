import { defineTexts } from '../../texts.ts';

export const texts = defineTexts(
  {
    signIn: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    newPassword: 'New password',
    passwordHint: 'At least 10 characters. A few unrelated words are best.',
    name: 'Your name',
    nameHint: 'Visible to other members of your account. Optional.',
    forgotten: 'Forgot it?',
    forgottenLong: 'Forgot your password?',
    withPasskey: 'Sign in with a passkey',
    or: 'or',
    passkeyFailed: 'The passkey was not used. Try again, or sign in with your password.',
    noAccount: 'No account yet?',
    signUp: 'Sign up',
    haveAccount: 'Already have an account?',
    wrong: 'The e-mail address or the password is wrong.',
    second: 'Second step',
    secondWhy: 'Enter the six digits that your authenticator app shows for this account.',
    code: 'Code',
    wrongCode: 'The code is wrong or has already been used. The app shows a new one every 30 seconds.',
    useRecovery: 'Use a recovery code instead',
    recoveryWhy: 'Enter one of the codes that you saved when you set up the second factor. Each works once.',
    recoveryCode: 'Recovery code',
    wrongRecovery: 'This recovery code is wrong or has already been used.',
    useApp: 'Use the authenticator app instead',
    go: 'Continue',
    signUpTitle: 'Create an account',
    signUpWhy: 'We will mail you a link to choose your password.',
    createAccount: 'Create account',
    completeWhy: (email: string) =>
      `You will sign in with ${email}. The account does not exist until you press the button.`,
    agree: 'By creating an account you agree to the',
    terms: 'terms',
    closed: 'Accounts are created by the operator of this service. Ask support for one.',
    byInvitation:
      'You need an invitation to create an account. Ask a member of the account you want to work in.',
    lookIntoMail: 'Check your mail',
    sentTo: (email: string) =>
      `We have sent a mail to ${email}. Open its link to choose a password and create your account. It may take a minute to arrive; check your spam folder as well.`,
    readingLink: 'Checking the link',
    newAddress: 'Change your address',
    newAddressWhy: (email: string) =>
      `From now on you will sign in with ${email}. Continue only if you asked for this change.`,
    useAddress: 'Use this address',
    addressChanged: 'Your address has changed',
    addressChangedWhy: (email: string) =>
      `Sign in with ${email} from now on. You stay signed in where you are.`,
    linkTitle: 'Sign in with a link',
    linkWhy: (email: string) => `You will be signed in as ${email}. The link works once.`,
    linkOver: 'This link no longer works',
    linkUsed: 'It has already been used or was replaced by a newer mail. Links in mails work once.',
    linkExpired: 'It has expired. Request a new one.',
    linkUnknown: 'The link is incomplete. Copy all of it and open it again.',
    linkTaken: 'An account with this address already exists. Sign in to it, or choose a new password.',
    newLink: 'Request a new link',
    signedInAs: (email: string) => `You are signed in as ${email} in this browser.`,
    elsewhereSignUp: 'Creating this account signs you out of that one.',
    elsewhereChangeEmail: 'This link changes the address of another account.',
    elsewhereResetPassword: 'This link is for another account.',
    elsewhereSignIn: 'Signing in with this link signs you out of that account.',
    resetTitle: 'Choose a new password',
    resetWhy: 'We will mail you a link to choose a new password.',
    resetGo: 'Send link',
    resetSent: (email: string) =>
      `If there is an account for ${email}, a link is on its way. It works once and expires after an hour.`,
    resetDone: 'Your password is changed',
    resetFor: (email: string) =>
      `For ${email}. You will be signed out in all browsers; your second factor and passkeys stay.`,
    revokeKeys: 'Revoke API keys too',
    revokeKeysHint:
      'This affects all keys of accounts that you own, and keys that you created in other accounts. Programs that use them stop working at once. Choose this if someone else may know your password.',
    endedSessions: (count: number) =>
      count === 0
        ? 'There were no sessions to sign out.'
        : count === 1
          ? '1 session was signed out.'
          : `${count} sessions were signed out.`,
    revokedKeys: (count: number) =>
      count === 0
        ? 'No API keys were revoked.'
        : count === 1
          ? '1 API key was revoked.'
          : `${count} API keys were revoked.`,
    factorsStay: 'Your second factor and passkeys, if you have any, still work. Sign in to review them.',
    save: 'Save password',
    invitation: 'You were invited',
    invitationWhy: 'Accept to get access to this account. Your own account does not change.',
    account: 'Account',
    role: 'Role',
    owner: 'Owner',
    operator: 'Operator',
    viewer: 'Viewer',
    invitedBy: 'Invited by',
    invitedAddress: 'Sent to',
    accept: 'Accept invitation',
    acceptFirst: 'Sign in or create an account with the address that the invitation was sent to.',
    accepted: 'You are now a member',
    open: 'Open the panel',
  },
  {
    signIn: 'Anmelden',
    email: 'E-Mail',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    passwordHint: 'Mindestens 10 Zeichen. Am besten sind einige Wörter ohne Zusammenhang.',
    name: 'Ihr Name',
    nameHint: 'Für andere Mitglieder Ihres Kontos sichtbar. Optional.',
    forgotten: 'Vergessen?',
    forgottenLong: 'Passwort vergessen?',
    withPasskey: 'Mit einem Passkey anmelden',
    or: 'oder',
    passkeyFailed: 'Der Passkey wurde nicht verwendet. Versuchen Sie es noch einmal oder mit dem Passwort.',
    noAccount: 'Noch kein Konto?',
    signUp: 'Registrieren',
    haveAccount: 'Schon ein Konto?',
    wrong: 'E-Mail oder Passwort ist falsch.',
    second: 'Zweiter Schritt',
    secondWhy: 'Geben Sie die sechs Ziffern ein, die Ihre Authenticator-App für dieses Konto zeigt.',
    code: 'Code',
    wrongCode: 'Der Code ist falsch oder wurde schon verwendet. Die App zeigt alle 30 Sekunden einen neuen.',
    useRecovery: 'Stattdessen einen Wiederherstellungscode verwenden',
    recoveryWhy:
      'Geben Sie einen der Codes ein, die Sie beim Einrichten gespeichert haben. Jeder gilt einmal.',
    recoveryCode: 'Wiederherstellungscode',
    wrongRecovery: 'Dieser Wiederherstellungscode ist falsch oder wurde schon verwendet.',
    useApp: 'Stattdessen die Authenticator-App verwenden',
    go: 'Weiter',
    signUpTitle: 'Konto anlegen',
    signUpWhy: 'Wir senden Ihnen per E-Mail einen Link, über den Sie Ihr Passwort wählen.',
    createAccount: 'Konto anlegen',
    completeWhy: (email: string) =>
      `Sie melden sich künftig mit ${email} an. Das Konto gibt es erst, wenn Sie auf „Konto anlegen“ drücken.`,
    agree: 'Mit dem Anlegen eines Kontos stimmen Sie zu:',
    terms: 'AGB',
    closed: 'Konten legt der Betreiber dieses Dienstes an. Fragen Sie den Support.',
    byInvitation:
      'Für ein Konto brauchen Sie eine Einladung. Fragen Sie ein Mitglied des Kontos, in dem Sie arbeiten wollen.',
    lookIntoMail: 'Prüfen Sie Ihre E-Mails',
    sentTo: (email: string) =>
      `Wir haben eine E-Mail an ${email} gesendet. Öffnen Sie den Link darin, um ein Passwort zu wählen und Ihr Konto anzulegen. Das kann eine Minute dauern; sehen Sie auch im Spam-Ordner nach.`,
    readingLink: 'Der Link wird geprüft',
    newAddress: 'Adresse ändern',
    newAddressWhy: (email: string) =>
      `Von nun an melden Sie sich mit ${email} an. Fahren Sie nur fort, wenn Sie diese Änderung angefordert haben.`,
    useAddress: 'Diese Adresse verwenden',
    addressChanged: 'Ihre Adresse ist geändert',
    addressChangedWhy: (email: string) =>
      `Melden Sie sich von nun an mit ${email} an. Wo Sie angemeldet sind, bleiben Sie es.`,
    linkTitle: 'Mit einem Link anmelden',
    linkWhy: (email: string) => `Sie werden als ${email} angemeldet. Der Link gilt einmal.`,
    linkOver: 'Dieser Link gilt nicht mehr',
    linkUsed:
      'Er wurde schon verwendet, oder eine neuere E-Mail hat ihn ersetzt. Links aus E-Mails gelten einmal.',
    linkExpired: 'Er ist abgelaufen. Fordern Sie einen neuen an.',
    linkUnknown: 'Der Link ist nicht vollständig. Kopieren Sie ihn ganz, und öffnen Sie ihn noch einmal.',
    linkTaken:
      'Mit dieser Adresse gibt es schon ein Konto. Melden Sie sich damit an, oder wählen Sie ein neues Passwort.',
    newLink: 'Einen neuen Link anfordern',
    signedInAs: (email: string) => `Sie sind in diesem Browser als ${email} angemeldet.`,
    elsewhereSignUp: 'Wenn Sie dieses Konto anlegen, werden Sie dort abgemeldet.',
    elsewhereChangeEmail: 'Dieser Link ändert die Adresse eines anderen Kontos.',
    elsewhereResetPassword: 'Dieser Link gilt für ein anderes Konto.',
    elsewhereSignIn: 'Wenn Sie sich mit diesem Link anmelden, werden Sie dort abgemeldet.',
    resetTitle: 'Neues Passwort wählen',
    resetWhy: 'Wir senden Ihnen einen Link, über den Sie ein neues Passwort wählen können.',
    resetGo: 'Link senden',
    resetSent: (email: string) =>
      `Wenn es für ${email} ein Konto gibt, ist ein Link unterwegs. Er gilt einmal, für eine Stunde.`,
    resetDone: 'Ihr Passwort ist geändert',
    resetFor: (email: string) =>
      `Für ${email}. Sie werden in allen Browsern abgemeldet; Ihr zweiter Faktor und Ihre Passkeys bleiben.`,
    revokeKeys: 'Auch API-Schlüssel widerrufen',
    revokeKeysHint:
      'Alle Schlüssel der Konten, deren Inhaber Sie sind, und die, die Sie in anderen Konten erstellt haben. Programme, die sie verwenden, verlieren sofort den Zugang. Wählen Sie das, wenn jemand anderes Ihr Passwort kennen könnte.',
    endedSessions: (count: number) =>
      count === 0
        ? 'Es gab keine Sitzungen abzumelden.'
        : count === 1
          ? '1 Sitzung wurde abgemeldet.'
          : `${count} Sitzungen wurden abgemeldet.`,
    revokedKeys: (count: number) =>
      count === 0
        ? 'Es wurden keine API-Schlüssel widerrufen.'
        : count === 1
          ? '1 API-Schlüssel wurde widerrufen.'
          : `${count} API-Schlüssel wurden widerrufen.`,
    factorsStay:
      'Ihr zweiter Faktor und Ihre Passkeys gelten weiter, falls Sie welche haben. Melden Sie sich an, um sie zu prüfen.',
    save: 'Passwort speichern',
    invitation: 'Sie wurden eingeladen',
    invitationWhy:
      'Nehmen Sie die Einladung an, um in diesem Konto zu arbeiten. An Ihrem eigenen Konto ändert sich nichts.',
    account: 'Konto',
    role: 'Rolle',
    owner: 'Inhaber',
    operator: 'Verwaltung',
    viewer: 'Betrachter',
    invitedBy: 'Eingeladen von',
    invitedAddress: 'Gesendet an',
    accept: 'Einladung annehmen',
    acceptFirst:
      'Melden Sie sich mit der Adresse an, an die die Einladung ging, oder legen Sie damit ein Konto an.',
    accepted: 'Sie sind jetzt Mitglied',
    open: 'Panel öffnen',
  },
);
