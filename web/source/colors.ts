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

/** fraction 0: nothing, near the paper; 1: everything. */
export function weightColor(theme: Theme, fraction: number): string {
  const part = Math.min(1, Math.max(0, fraction || 0));
  return ofLightness(theme === "dark" ? darkest + part * (lightest - darkest) : lightest + part * (darkest - lightest));
}

/** Black or white, whichever stands out more on the colour of that fraction. */
export function inkOn(theme: Theme, fraction: number): string {
  const [red, green, blue] = weightColor(theme, fraction).match(/\d+/g)!.map(Number);
  const y = luminance([red, green, blue]);
  return (y + 0.05) / 0.05 >= 1.05 / (y + 0.05) ? "#000" : "#fff";
}

/** Weights under this share one colour on the logarithmic scale. */
export const smallestLog = 1e-4;

/** Where a weight stands on the scale, 0 to 1; most: the weight that gets the last colour. */
export function fractionOf(weight: number, logarithmic: boolean, most = 1): number {
  if (!logarithmic) return weight / most;
  return weight <= 0 ? 0 : Math.max(0, 1 - Math.log10(weight / most) / Math.log10(smallestLog));
}
