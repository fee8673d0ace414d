import { useState } from 'react';
import type { VM } from '../../../api/customer.ts';
import { useChange } from '../../../api/queries.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/Dialog.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Select } from '../../../ui/Select.tsx';
import { announce } from '../../../ui/Status.tsx';
import { useCatalog } from '../names.ts';
import classes from './settings.module.css';
import { settingsTexts } from './texts.ts';

/** The machine anew from an image, with the same addresses. */
export function Rebuild({ vm }: { vm: VM }) {
  const t = useTexts(settingsTexts);
  const { data: catalog } = useCatalog();
  const [image, setImage] = useState(vm.template);
  const [isAsked, setIsAsked] = useState(false);
  const images = catalog?.templates.filter((template) => template.available && !template.deprecated) ?? [];
  const rebuild = useChange('rebuildVm', {
    changes: ['getVm', 'listJobs', 'listSnapshots'],
    onDone: () => {
      setIsAsked(false);
      announce(t.rebuilding);
    },
  });
  const ask = () => {
    rebuild.reset();
    setIsAsked(true);
  };
  const isReady = !vm.locked && (vm.status === 'running' || vm.status === 'stopped');
  return (
    <Section title={t.rebuild} description={t.rebuildIs}>
      <div className={classes.row}>
        <Select
          label={t.image}
          isLabelHidden
          value={images.some(({ code }) => code === image) ? image : (images[0]?.code ?? null)}
          onChange={setImage}
          options={images.map(({ code, name, min_disk_gb, min_ram_mb }) => ({
            value: code,
            label: name,
            isDisabled: min_disk_gb > vm.disk_gb || min_ram_mb > vm.ram_mb,
          }))}
        />
        <Button look="danger" isDisabled={!isReady || images.length === 0} onPress={ask}>
          {t.rebuild}
        </Button>
      </div>
      <ConfirmDialog
        title={t.rebuildTitle(vm.hostname)}
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        confirm={t.rebuild}
        word={vm.hostname}
        isPending={rebuild.isPending}
        error={rebuild.error}
        onConfirm={() =>
          rebuild.mutate({
            params: { id: vm.id },
            body: { image: images.some(({ code }) => code === image) ? image : images[0]!.code },
          })
        }
      >
        <p>{t.rebuildMeans}</p>
      </ConfirmDialog>
    </Section>
  );
}
