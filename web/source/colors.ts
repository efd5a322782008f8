/** The colours of weights, as in cli/color_scale.c: ColorBrewer's "Blues" (C. Brewer, http://colorbrewer.org/), each
 *  anchor at its own lightness, so that lightness grows evenly and the picture survives a grey print. */
import { interpolateLab } from "d3-interpolate";
import { scaleLinear } from "d3-scale";

export type Theme = "light" | "dark";

const anchors: [number, number, number][] = [
  [247, 251, 255], [222, 235, 247], [198, 219, 239], [158, 202, 225], [107, 174, 214],
  [66, 146, 198], [33, 113, 181], [8, 81, 156], [8, 48, 107],
];

const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

/** Relative luminance of IEC 61966-2-1, which is also WCAG's. */
function luminance([red, green, blue]: number[]): number {
  return 0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
}

/** CIE L*, 0 to 100. */
function lightness(color: number[]): number {
  const y = luminance(color);
  return y <= 216 / 24389 ? (y * 24389) / 27 : 116 * Math.cbrt(y) - 16;
}

const lightest = lightness(anchors[0]), darkest = lightness(anchors[anchors.length - 1]);

const ofLightness = scaleLinear<string>()
  .domain(anchors.map(lightness))
  .range(anchors.map((color) => `rgb(${color.join(",")})`))
  .interpolate(interpolateLab);

function colorAt(theme: Theme, part: number): string {
  return ofLightness(theme === "dark" ? darkest + part * (lightest - darkest) : lightest + part * (darkest - lightest));
}

/** Black or white, whichever stands out more on a colour. */
function inkOf(color: string): string {
  const y = luminance(color.match(/\d+/g)!.map(Number));
  return (y + 0.05) / 0.05 >= 1.05 / (y + 0.05) ? "#000" : "#fff";
}

/** Steps of the scale: finer than an eye or a screen tells apart. */
const steps = 512;
const made: Partial<Record<Theme, { colors: string[]; inks: string[] }>> = {};

function scaleOf(theme: Theme) {
  const colors = () => Array.from({ length: steps + 1 }, (_, step) => colorAt(theme, step / steps));
  return (made[theme] ??= ((all) => ({ colors: all, inks: all.map(inkOf) }))(colors()));
}

const stepOf = (fraction: number) => Math.round(Math.min(1, Math.max(0, fraction || 0)) * steps);

/** fraction 0: nothing, near the paper; 1: everything. */
export function weightColor(theme: Theme, fraction: number): string {
  return scaleOf(theme).colors[stepOf(fraction)];
}

/** Black or white, whichever stands out more on the colour of that fraction. */
export function inkOn(theme: Theme, fraction: number): string {
  return scaleOf(theme).inks[stepOf(fraction)];
}

/** Weights under this share one colour on the logarithmic scale. */
export const smallestLog = 1e-4;

/** Where a weight stands on the scale, 0 to 1; most: the weight that gets the last colour. */
export function fractionOf(weight: number, logarithmic: boolean, most = 1): number {
  if (!logarithmic) return weight / most;
  return weight <= 0 ? 0 : Math.max(0, 1 - Math.log10(weight / most) / Math.log10(smallestLog));
}
