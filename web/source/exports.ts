// exports.ts - what leaves the page: text, tables, pictures. Pictures are drawn from the SVG on the page, with the styles
// it is shown in written into it, so that the file looks the same without the page.
import type { Head, Worked } from "./engine";
import { tokenLabels } from "./labels";
import type { Ledger } from "./ledger";

/** Puts text on the clipboard; the sentence says how it went. */
export async function copyText(text: string, what: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return `${what} is copied.`;
  } catch {
    return copyBySelection(text) ? `${what} is copied.` : `${what} could not be copied: the browser does not allow it.`;
  }
}

/** For pages opened from a file, where browsers may refuse the clipboard. */
function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "for-ears";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}

export function download(name: string, type: string, content: string | Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A field of a CSV file (RFC 4180). */
function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text that no spreadsheet takes for a formula: behind an apostrophe where it begins like one. */
const csvText = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** The weights of one head: a line for each query, every double in full; hidden cells stay empty. */
export function gridCsv(worked: Worked, head: Head): string {
  const labels = tokenLabels(worked.tokens).map(csvText);
  const lines = [["query", ...labels], ...head.normalize.map((row, query) => [labels[query], ...row.map((weight) => weight ?? "")])];
  return lines.map((line) => line.map((field) => csvField(String(field))).join(",") + "\r\n").join("");
}

function aligned(lines: string[][]): string {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const put = (line: string[]) => line.map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column])));
  return lines.map((line) => put(line).join("  ").trimEnd() + "\n").join("");
}

/** The ledger as text: a line for each key, then the sums and the mixture. */
export function ledgerText(ledger: Ledger, fixed: (value: number) => string): string {
  const number = (value: number | null) => (value === null ? "" : fixed(value));
  const places = ledger.mixture.map((_, index) => index + 1);
  const header = [`query ${ledger.label}`, "q.k", "scaled", "allowed", "exponential", "weight"];
  const rows = ledger.rows.map((row) => [
    ...[row.label, number(row.raw), number(row.score), row.allowed ? "yes" : "hidden", number(row.exponential), number(row.weight)],
    ...row.value.map(number),
    ...places.map((place) => number(row.part && row.part[place - 1])),
  ]);
  const last = ["sum, mixture", "", "", "", number(ledger.total), number(ledger.weightSum), ...places.map(() => "")];
  return aligned([
    [...header, ...places.map((place) => `v${place}`), ...places.map((place) => `weight*v${place}`)],
    ...rows,
    [...last, ...ledger.mixture.map(number)],
  ]);
}

const kept = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity",
  "font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline", "paint-order", "visibility", "display",
  "color", "stop-color", "stop-opacity", "font-variant-numeric",
];

function writeStyles(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const name of kept) {
    const value = style.getPropertyValue(name);
    if (value !== "") to.setAttribute(name, value);
  }
  for (const name of ["class", "style", "tabindex", "role", "aria-label"]) to.removeAttribute(name);
  [...from.children].forEach((child, index) => writeStyles(child, to.children[index]));
}

/** The SVG as a file: sized, on the paper's colour, with the styles it has on the page. */
export function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  writeStyles(svg, copy);
  const box = svg.getBoundingClientRect();
  const view = svg.viewBox.baseVal;
  const given = view && view.width > 0 ? view : { x: 0, y: 0, width: box.width, height: box.height };
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", [given.x, given.y, given.width, given.height].join(" "));
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const name of ["x", "y", "width", "height"] as const) paper.setAttribute(name, String(given[name]));
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

/** An SVG file as a PNG with `density` pixels for one of the page. */
export async function pngBlob(svg: string, density: number): Promise<Blob> {
  const picture = new Image();
  picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(picture.width * density);
  canvas.height = Math.ceil(picture.height * density);
  canvas.getContext("2d")!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png"),
  );
}
