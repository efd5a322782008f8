/** Where things stand on the plane. Vectors in, pixels out. */
import { polygonHull } from "d3-polygon";

export type Point = [x: number, y: number];

/** The part of the plane that is drawn. */
export interface Domain {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

/** The first two numbers of a vector; a single number lies on the horizontal axis. */
export function pointOf(vector: number[]): Point {
  return [vector[0] ?? 0, vector[1] ?? 0];
}

/** Whole units around the points and the origin, widened to the shape of the picture: one unit is as long upwards as
 *  sideways, so that angles and lengths are true. */
export function domainOf(points: Point[], width: number, height: number): Domain {
  const xs = [0, ...points.map(([x]) => x)], ys = [0, ...points.map(([, y]) => y)];
  const largest = Math.max(1, ...xs.map(Math.abs), ...ys.map(Math.abs));
  const step = 10 ** Math.floor(Math.log10(largest)) / (largest < 3 * 10 ** Math.floor(Math.log10(largest)) ? 2 : 1);
  const low = (values: number[]) => (Math.floor(Math.min(...values) / step) - 1) * step;
  const high = (values: number[]) => (Math.ceil(Math.max(...values) / step) + 1) * step;
  let [left, right, bottom, top] = [low(xs), high(xs), low(ys), high(ys)];
  const unit = Math.max((right - left) / width, (top - bottom) / height);
  const moreX = unit * width - (right - left), moreY = unit * height - (top - bottom);
  return { left: left - moreX / 2, right: right + moreX / 2, bottom: bottom - moreY / 2, top: top + moreY / 2 };
}

/** The smallest convex area around the points, as an SVG path; with fewer than three corners a line or a dot. */
export function hullPath(points: Point[]): string {
  if (points.length === 0) return "";
  const corners = polygonHull(points) ?? points;
  return "M" + corners.map(([x, y]) => `${x},${y}`).join("L") + "Z";
}

/** An arrow's head: a triangle that ends in the tip. Empty for an arrow shorter than its head. */
export function headPath([x0, y0]: Point, [x1, y1]: Point, size: number): string {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < size / 2) return "";
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const [bx, by] = [x1 - ux * size, y1 - uy * size];
  const half = size * 0.42;
  return `M${x1},${y1}L${bx - uy * half},${by + ux * half}L${bx + uy * half},${by - ux * half}Z`;
}

/** Where the tip's shadow falls on the line of another vector: the picture of a dot product. */
export function footOf(tip: Point, along: Point): Point | null {
  const square = along[0] ** 2 + along[1] ** 2;
  if (square === 0) return null;
  const part = (tip[0] * along[0] + tip[1] * along[1]) / square;
  return [along[0] * part, along[1] * part];
}
