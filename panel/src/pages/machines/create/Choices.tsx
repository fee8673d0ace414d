import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Catalog, ComponentPrice, SshKey } from '../../../api/customer.ts';
import { useTexts } from '../../../texts.ts';
import { Switch } from '../../../ui/Checkbox.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { Field } from '../../../ui/Field.tsx';
import { Form } from '../../../ui/Form.tsx';
import { KeyChoice } from '../KeyChoice.tsx';
import { machineTexts } from '../texts.ts';
import classes from './create.module.css';
import type { Draft } from './draft.ts';
import { PlanChoice } from './PlanChoice.tsx';
import { RadioCards } from './RadioCards.tsx';
import { SizeSliders } from './SizeSliders.tsx';
import { createTexts } from './texts.ts';

export interface Offer {
  catalog: Catalog;
  keys: SshKey[];
  prices: { components: ComponentPrice[]; tax_included: boolean } | undefined;
}

interface Props {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  offer: Offer;
}

export const ORDER_FORM = 'order';

export function Choices({ draft, onChange, offer, error }: Props & { error: Error | null }) {
  const t = useTexts(createTexts);
  const { catalog } = offer;
  return (
    <Form error={error} onSubmit={() => {}}>
      <Part title={t.name}>
        <Field
          label={t.hostname}
          name="hostname"
          value={draft.hostname}
          onChange={(hostname) => onChange({ hostname })}
          placeholder="web-1"
          hint={t.hostnameHint}
          isRequired
          autoComplete="off"
        />
      </Part>
      <Part title={t.region}>
        <RadioCards
          label={t.region}
          name="region"
          value={draft.region}
          onChange={(region) => onChange({ region })}
          options={catalog.regions.map(({ code, name, country, available }) => ({
            value: code,
            title: name,
            note: available ? country : t.full,
            isDisabled: !available,
          }))}
        />
      </Part>
      <Part title={t.image}>
        <RadioCards
          label={t.image}
          name="template"
          value={draft.template}
          onChange={(template) => onChange({ template })}
          options={catalog.templates
            .filter(({ deprecated }) => !deprecated)
            .map(({ code, name, available, arch }) => ({
              value: code,
              title: name,
              note: available ? arch : t.notHere,
              isDisabled: !available,
            }))}
        />
      </Part>
      <SizePart draft={draft} onChange={onChange} offer={offer} />
      <KeysPart draft={draft} onChange={onChange} offer={offer} />
      <MorePart draft={draft} onChange={onChange} offer={offer} />
    </Form>
  );
}

function Part({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <section className={classes.part}>
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

function SizePart({ draft, onChange, offer: { catalog } }: Props) {
  const t = useTexts(createTexts);
  const words = useTexts(machineTexts);
  const plan = catalog.plans.find(({ code }) => code === draft.plan);
  const modes = draft.way === 'plan' ? (plan?.billing_modes ?? []) : [];
  return (
    <Part
      title={t.size}
      actions={
        <Choice
          label={t.way}
          value={draft.way}
          onChange={(way) => onChange({ way })}
          options={[
            { value: 'plan', label: t.plans },
            { value: 'custom', label: t.custom },
          ]}
        />
      }
    >
      {draft.way === 'plan' ? (
        <PlanChoice
          catalog={catalog}
          region={draft.region}
          value={draft.plan}
          onChange={(code) => onChange({ plan: code })}
          template={draft.template}
        />
      ) : (
        <>
          <SizeSliders
            size={draft.size}
            onChange={(size) => onChange({ size })}
            limits={catalog.custom_limits}
          />
          <p className={classes.note}>{t.customHow}</p>
        </>
      )}
      {modes.length > 1 && (
        <Choice
          label={t.billed}
          isLabelShown
          value={draft.billing}
          onChange={(billing) => onChange({ billing })}
          options={modes.map((mode) => ({ value: mode, label: words[mode] }))}
        />
      )}
    </Part>
  );
}

function KeysPart({ draft, onChange, offer: { keys } }: Props) {
  const t = useTexts(createTexts);
  return (
    <Part title={t.keys} actions={<Link to="/ssh-keys">{t.manageKeys}</Link>}>
      {keys.length === 0 && <p className={classes.note}>{t.noKeys}</p>}
      <KeyChoice keys={keys} chosen={draft.keys} onChange={(chosen) => onChange({ keys: chosen })} />
      {draft.keys.length === 0 && keys.length > 0 && <p className={classes.note}>{t.passwordInstead}</p>}
    </Part>
  );
}

function MorePart({ draft, onChange }: Props) {
  const t = useTexts(createTexts);
  const [isOpen, setIsOpen] = useState(draft.userData !== '' || draft.notes !== '');
  return (
    <Part title={t.more}>
      <Switch isSelected={draft.autoRenew} onChange={(autoRenew) => onChange({ autoRenew })}>
        {t.autoRenew}
      </Switch>
      <Switch isSelected={draft.start} onChange={(start) => onChange({ start })}>
        {t.start}
      </Switch>
      <Switch isSelected={isOpen} onChange={setIsOpen}>
        {t.withUserData}
      </Switch>
      {isOpen && (
        <>
          <Field
            label={t.userData}
            name="user_data"
            mono
            rows={5}
            value={draft.userData}
            onChange={(userData) => onChange({ userData })}
            hint={t.userDataHint}
            placeholder="#cloud-config"
          />
          <Field
            label={t.notes}
            name="notes"
            rows={2}
            value={draft.notes}
            onChange={(notes) => onChange({ notes })}
          />
        </>
      )}
    </Part>
  );
}
