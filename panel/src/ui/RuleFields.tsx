import { defineTexts, useTexts } from '../texts.ts';
import { Field, type Props as FieldProps } from './Field.tsx';
import { Select } from './Select.tsx';

const texts = defineTexts(
  { protocol: 'Protocol', any: 'All protocols' },
  { protocol: 'Protokoll', any: 'Alle Protokolle' },
);

export const hasPorts = (protocol: string) => protocol === 'tcp' || protocol === 'udp';

export function ProtocolSelect<Protocol extends string>({
  protocols,
  value,
  onChange,
}: {
  protocols: readonly Protocol[];
  value: Protocol;
  onChange: (protocol: Protocol) => void;
}) {
  const t = useTexts(texts);
  return (
    <Select
      label={t.protocol}
      value={value}
      onChange={onChange}
      options={protocols.map((protocol) => ({
        value: protocol,
        label: protocol === 'any' ? t.any : protocol.toUpperCase(),
      }))}
    />
  );
}

/** The ports of a packet rule; disabled for protocols without ports. */
export function PortsField({
  protocol,
  ...field
}: Omit<FieldProps, 'mono' | 'isDisabled'> & { protocol: string }) {
  return <Field mono isDisabled={!hasPorts(protocol)} {...field} />;
}
