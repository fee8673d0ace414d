import { Label } from 'react-aria-components/Label';
import { Slider, SliderOutput, SliderThumb, SliderTrack } from 'react-aria-components/Slider';
import type { Catalog } from '../../../api/customer.ts';
import { useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { formatDisk, formatRam } from '../formats.ts';
import classes from './create.module.css';
import { createTexts } from './texts.ts';

export interface Size {
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

export function SizeSliders({
  size,
  onChange,
  limits,
  leastDisk = 0,
}: {
  size: Size;
  onChange: (size: Size) => void;
  limits: Catalog['custom_limits'];
  /** The size of the existing disk, which cannot shrink. */
  leastDisk?: number;
}) {
  const t = useTexts(createTexts);
  const locale = useLocale();
  const { step, max } = limits.disk_gb;
  const least = Math.min(max, Math.max(limits.disk_gb.min, Math.ceil(leastDisk / step) * step));
  return (
    <div className={classes.sliders}>
      <Part
        label={t.processors}
        value={size.vcpu}
        limits={limits.vcpu}
        format={(value) => `${value} vCPU`}
        onChange={(vcpu) => onChange({ ...size, vcpu })}
      />
      <Part
        label={t.memory}
        value={size.ram_mb}
        limits={limits.ram_mb}
        format={(value) => formatRam(value, locale)}
        onChange={(ram_mb) => onChange({ ...size, ram_mb })}
      />
      <Part
        label={t.disk}
        value={size.disk_gb}
        limits={{ ...limits.disk_gb, min: least }}
        format={(value) => formatDisk(value, locale)}
        onChange={(disk_gb) => onChange({ ...size, disk_gb })}
      />
    </div>
  );
}

function Part({
  label,
  value,
  limits,
  format,
  onChange,
}: {
  label: string;
  value: number;
  limits: { min: number; max: number; step: number };
  format: (value: number) => string;
  onChange: (value: number) => void;
}) {
  return (
    <Slider
      className={classes.slider!}
      value={value}
      minValue={limits.min}
      maxValue={limits.max}
      step={limits.step}
      onChange={(next) => onChange(next as number)}
    >
      <Label>{label}</Label>
      <SliderOutput className={classes.output!}>{format(value)}</SliderOutput>
      <SliderTrack className={classes.track!}>
        {({ state }) => (
          <>
            <i style={{ width: `${state.getThumbPercent(0) * 100}%` }} />
            <SliderThumb className={classes.thumb!} />
          </>
        )}
      </SliderTrack>
    </Slider>
  );
}
