/** Red, green and blue, each from 0 to 1, as sent to a screen (sRGB). */
type Rgb = [number, number, number];
/** Lightness, chroma and hue as people perceive them: shades of one colour differ only in lightness. */
type Oklch = [number, number, number];

/** Parses a colour such as `#2563eb`. */
const rgbOf = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as Rgb;

const hexOf = (rgb: Rgb) =>
  `#${rgb
    .map((part) =>
      Math.round(clamped(part) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

const clamped = (part: number) => Math.min(1, Math.max(0, part));
const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const gamma = (part: number) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055);

/** Relative luminance as defined by WCAG 2. */
function luminance(hex: string): number {
  const [red, green, blue] = rgbOf(hex).map(linear) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast of two colours as defined by WCAG 2: from 1 to 21. Text needs 4.5. */
export function contrast(a: string, b: string): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Björn Ottosson's OKLab, in polar coordinates. */
function oklchOf(hex: string): Oklch {
  const [r, g, b] = rgbOf(hex).map(linear) as Rgb;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  return [lightness, Math.hypot(a, bb), Math.atan2(bb, a)];
}

function hexOfOklch([lightness, chroma, hue]: Oklch): string {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return hexOf(
    [
      4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
      -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
      -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ].map((part) => gamma(Math.max(0, part))) as Rgb,
  );
}

const STEP = 0.005;

/**
 * Returns the shade of `color` closest to it whose contrast with `background` is at least `least`: `color` itself if
 * its contrast suffices.
 */
export function readableShade(color: string, background: string, least: number): string {
  const [start, chroma, hue] = oklchOf(color);
  const direction = luminance(background) > 0.18 ? -STEP : STEP;
  let shade = color;
  for (let lightness = start; contrast(shade, background) < least; ) {
    lightness += direction;
    if (lightness < 0 || lightness > 1) return direction < 0 ? '#000000' : '#ffffff';
    shade = hexOfOklch([lightness, chroma, hue]);
  }
  return shade;
}
