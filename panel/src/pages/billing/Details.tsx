import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { BilledAs } from '../../api/panel.ts';
import { read, useChange } from '../../api/queries.ts';
import { useLocale } from '../../format.ts';
import { useRole } from '../../shell/site.ts';
import { defineTexts, useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, FormActions, textOf } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Card, Stack } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { announce } from '../../ui/Status.tsx';
import { COUNTRIES } from './countries.ts';

const texts = defineTexts(
  {
    why: 'The recipient of your invoices. Invoices that have already been issued do not change.',
    kind: 'You are',
    consumer: 'A person',
    business: 'A business',
    name: 'Name',
    company: 'Name of the business',
    street: 'Street and number',
    postcode: 'Postcode',
    city: 'City',
    country: 'Country',
    choose: 'Choose',
    northernIreland: 'Northern Ireland',
    again: (code: string) =>
      `${code} is not a country code. Choose your country again: until then, you cannot create machines.`,
    vat: 'VAT identification number',
    vatHint: 'With this number, a business in another EU country pays no VAT here.',
    orderReference: 'Your order number',
    orderReferenceHint: 'Shown on your invoices.',
    language: 'Language of invoices',
    english: 'English',
    german: 'Deutsch',
    mailTo: 'Send invoices to',
    mailToHint: 'Up to 5 email addresses, separated by commas. If empty, the owners receive them.',
    save: 'Save',
    saved: 'Saved',
    tax: (rate: string) => `Your purchases are taxed at ${rate}.`,
  },
  {
    why: 'Der Empfänger Ihrer Rechnungen. Bereits ausgestellte Rechnungen ändern sich nicht.',
    kind: 'Sie sind',
    consumer: 'Eine Person',
    business: 'Ein Unternehmen',
    name: 'Name',
    company: 'Name des Unternehmens',
    street: 'Straße und Hausnummer',
    postcode: 'Postleitzahl',
    city: 'Ort',
    country: 'Land',
    choose: 'Auswählen',
    northernIreland: 'Nordirland',
    again: (code: string) =>
      `${code} bezeichnet kein Land. Wählen Sie Ihr Land neu aus: Bis dahin können Sie keine Maschinen anlegen.`,
    vat: 'Umsatzsteuer-Identifikationsnummer',
    vatHint: 'Damit zahlt ein Unternehmen in einem anderen Land der EU hier keine Umsatzsteuer.',
    orderReference: 'Ihre Bestellnummer',
    orderReferenceHint: 'Sie steht auf Ihren Rechnungen.',
    language: 'Sprache der Rechnungen',
    english: 'English',
    german: 'Deutsch',
    mailTo: 'Rechnungen senden an',
    mailToHint:
      'Bis zu 5 E-Mail-Adressen, durch Kommas getrennt. Ohne Angabe erhalten die Inhaber die Rechnungen.',
    save: 'Speichern',
    saved: 'Gespeichert',
    tax: (rate: string) => `Ihre Käufe werden mit ${rate} besteuert.`,
  },
);

export function Details() {
  const t = useTexts(texts);
  const query = useQuery(read('getBillingProfile'));
  return (
    <Loaded query={query}>
      {(billed) => (
        <Stack>
          <p>{t.why}</p>
          <div style={{ maxWidth: 560 }}>
            <Card>
              <DetailsForm billed={billed} />
            </Card>
          </div>
        </Stack>
      )}
    </Loaded>
  );
}

function DetailsForm({ billed: { profile, tax } }: { billed: BilledAs }) {
  const t = useTexts(texts);
  const locale = useLocale();
  const mayChange = useRole('owner');
  const [kind, setKind] = useState(profile?.kind ?? 'consumer');
  // Old profiles may have a country code that was never checked; the form then asks for it again.
  const isStale = profile !== null && !COUNTRIES.includes(profile.country);
  const [country, setCountry] = useState<string | null>(isStale ? null : (profile?.country ?? null));
  const countries = useCountries();
  const set = useChange('setBillingProfile', {
    // A business with a VAT id may pay other prices.
    changes: ['getBillingProfile', 'getCatalog', 'getPrices', 'getWallet', 'getBillingSummary'],
    onDone: () => announce(t.saved),
  });
  return (
    <Form
      error={set.error}
      onSubmit={(values) => {
        const [postcode, vat_id] = [textOf(values, 'postcode').trim(), textOf(values, 'vat_id').trim()];
        set.mutate({
          body: {
            kind,
            name: textOf(values, 'name').trim(),
            street: textOf(values, 'street').trim(),
            city: textOf(values, 'city').trim(),
            country: country ?? '',
            postcode: postcode || null,
            vat_id: kind === 'business' && vat_id ? vat_id : null,
            ...documentWishes(values),
          },
        });
      }}
    >
      <Choices
        label={t.kind}
        name="kind"
        value={kind}
        onChange={setKind}
        choices={[
          { value: 'consumer', label: t.consumer },
          { value: 'business', label: t.business },
        ]}
      />
      <Field
        label={kind === 'business' ? t.company : t.name}
        name="name"
        defaultValue={profile?.name}
        autoComplete={kind === 'business' ? 'organization' : 'name'}
        isRequired
      />
      <Field
        label={t.street}
        name="street"
        defaultValue={profile?.street}
        autoComplete="street-address"
        isRequired
      />
      <Field
        label={t.postcode}
        name="postcode"
        defaultValue={profile?.postcode ?? ''}
        autoComplete="postal-code"
      />
      <Field
        label={t.city}
        name="city"
        defaultValue={profile?.city}
        autoComplete="address-level2"
        isRequired
      />
      <Select
        label={t.country}
        name="country"
        value={country}
        onChange={setCountry}
        options={countries}
        placeholder={t.choose}
      />
      {kind === 'business' && (
        <Field label={t.vat} name="vat_id" defaultValue={profile?.vat_id ?? ''} hint={t.vatHint} mono />
      )}
      <DocumentFields profile={profile} />
      {isStale && <Notice kind="warn">{t.again(profile.country)}</Notice>}
      {profile && <Notice>{tax.reason ?? t.tax(percent(tax.rate, locale))}</Notice>}
      {mayChange && (
        <FormActions>
          <Button look="main" type="submit" isPending={set.isPending}>
            {t.save}
          </Button>
        </FormActions>
      )}
    </Form>
  );
}

const percent = (rate: string, locale: string) =>
  // biome-ignore lint/style/noRestrictedGlobals: shows a rate
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(Number(rate));

/** The order reference on documents, their language and their recipients. */
function DocumentFields({ profile }: { profile: BilledAs['profile'] }) {
  const t = useTexts(texts);
  const locale = useLocale();
  const [language, setLanguage] = useState<DocumentLanguage>(
    profile?.language ?? (locale.startsWith('de') ? 'de' : 'en'),
  );
  return (
    <>
      <Field
        label={t.orderReference}
        name="order_reference"
        defaultValue={profile?.order_reference ?? ''}
        hint={t.orderReferenceHint}
      />
      <Select
        label={t.language}
        name="language"
        value={language}
        onChange={setLanguage}
        options={[
          { value: 'en', label: t.english },
          { value: 'de', label: t.german },
        ]}
      />
      <Field
        label={t.mailTo}
        name="mail_to"
        // A node of the last release knows of none.
        defaultValue={profile?.mail_to?.join(', ')}
        hint={t.mailToHint}
        inputMode="email"
      />
    </>
  );
}

type DocumentLanguage = 'en' | 'de';

/** Returns the values of {@link DocumentFields}. */
const documentWishes = (values: FormData) => ({
  order_reference: textOf(values, 'order_reference').trim() || null,
  language: textOf(values, 'language') as DocumentLanguage,
  mail_to: textOf(values, 'mail_to')
    .split(/[\s,;]/)
    .filter(Boolean),
});

/** All countries with their names in the reader's language. */
function useCountries() {
  const locale = useLocale();
  const { northernIreland } = useTexts(texts);
  return useMemo(() => {
    // biome-ignore lint/style/noRestrictedGlobals: names of countries
    const names = new Intl.DisplayNames(locale, { type: 'region' });
    // Browsers have no name for Northern Ireland, which has no ISO 3166 code of its own.
    const nameOf = (code: string) => (code === 'XI' ? northernIreland : (names.of(code) ?? code));
    return COUNTRIES.map((value) => ({ value, label: nameOf(value) })).sort((a, b) =>
      a.label.localeCompare(b.label, locale),
    );
  }, [locale, northernIreland]);
}
