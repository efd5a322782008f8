// grid_picture.ts - the grid of weights as an SVG file: the maps side by side, the scale beneath, numbers in the cells.
// It says by itself what the page says around its table: which map, which tokens, what the colours mean.

export interface GridMap {
  title: string;
  weights: (number | null)[][]; // null: hidden
}

export interface GridPaint {
  color(weight: number, key: number): string;
  ink(weight: number, key: number): string; // that stands out on the colour
  text(weight: number): string;
  scale: { title: string; stops: string[]; least: string; most: string }; // the colours in order, and what the ends mean
}

const cell = 56, high = 40, letter = 7.5, side = 24;
const paper = "#ffffff", black = "#1d2129", quiet = "#555c68";

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]!);

function textAt(x: number, y: number, text: string, more = ""): string {
  return `<text x="${x}" y="${y}"${more ? " " + more : ""}>${escaped(text)}</text>`;
}

function mapAt(map: GridMap, labels: string[], margin: number, left: number, top: number, paint: GridPaint): string[] {
  const parts = [textAt(left, top - 34, map.title, 'font-weight="600"')];
  labels.forEach((label, key) => parts.push(textAt(left + margin + (key + 0.5) * cell, top - 8, label, 'text-anchor="middle"')));
  map.weights.forEach((row, query) => {
    const y = top + query * high;
    parts.push(textAt(left + margin - 8, y + high / 2 + 4, labels[query], 'text-anchor="end"'));
    row.forEach((weight, key) => {
      const x = left + margin + key * cell;
      const fill = weight === null ? "url(#hatch)" : paint.color(weight, key);
      parts.push(`<rect x="${x}" y="${y}" width="${cell - 2}" height="${high - 2}" rx="4" fill="${fill}"/>`);
      if (weight !== null)
        parts.push(textAt(x + cell / 2 - 1, y + high / 2 + 4, paint.text(weight), `text-anchor="middle" fill="${paint.ink(weight, key)}"`));
    });
  });
  return parts;
}

function scaleAt(left: number, top: number, scale: GridPaint["scale"]): string[] {
  const wide = 8;
  const end = left + 60 + scale.stops.length * wide;
  return [
    textAt(left + 54, top + 11, scale.least, `text-anchor="end" fill="${quiet}"`),
    ...scale.stops.map((color, index) => `<rect x="${left + 60 + index * wide}" y="${top}" width="${wide}" height="14" fill="${color}"/>`),
    textAt(end + 6, top + 11, scale.most, `fill="${quiet}"`),
    `<rect x="${end + 70}" y="${top}" width="22" height="14" fill="url(#hatch)"/>`,
    textAt(end + 98, top + 11, "hidden", `fill="${quiet}"`),
    textAt(left, top + 34, scale.title, `fill="${quiet}"`),
  ];
}

export function gridSvg(maps: GridMap[], labels: string[], paint: GridPaint): string {
  const margin = Math.max(...labels.map((label) => label.length)) * letter + 16;
  const mapWidth = margin + labels.length * cell;
  const top = side + 44;
  const foot = top + labels.length * high + 24;
  const width = Math.max(maps.length * (mapWidth + side) + side, 480);
  const height = foot + 44 + side / 2;
  const parts = maps.flatMap((map, index) => mapAt(map, labels, margin, side + index * (mapWidth + side), top, paint));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"` +
      ` font-family="system-ui, sans-serif" font-size="13" fill="${black}">`,
    `<title>${escaped(maps.map((map) => map.title).join("; "))}</title>`,
    `<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
      `<rect width="6" height="6" fill="${paper}"/><line x1="0" y1="0" x2="0" y2="6" stroke="#858c98" stroke-width="1.5"/></pattern></defs>`,
    `<rect width="${width}" height="${height}" fill="${paper}"/>`,
    ...parts,
    ...scaleAt(side, foot, paint.scale),
    "</svg>\n",
  ].join("\n");
}
