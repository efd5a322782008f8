// linear.ts - the little linear algebra that the panels need: null spaces and exact solutions of small systems.
// A matrix is a list of rows. Numbers smaller than `negligible` times the largest entry count as zero.
export type Vector = number[];
export type Rows = number[][];

const negligible = 1e-10;

export function dot(a: Vector, b: Vector): number {
  return a.reduce((sum, value, index) => sum + value * b[index], 0);
}

export function norm(a: Vector): number {
  return Math.sqrt(dot(a, a));
}

export function plus(a: Vector, b: Vector): Vector {
  return a.map((value, index) => value + b[index]);
}

export function minus(a: Vector, b: Vector): Vector {
  return a.map((value, index) => value - b[index]);
}

export function times(factor: number, a: Vector): Vector {
  return a.map((value) => factor * value);
}

export function transpose(rows: Rows): Rows {
  return rows.length === 0 ? [] : rows[0].map((_, column) => rows.map((row) => row[column]));
}

interface Reduced {
  rows: Rows; // each pivot is 1, and alone in its column
  pivots: number[]; // the pivot's column of each row, in the order of the rows
}

/** Gauss-Jordan elimination with the largest pivot of each column, over the first `columns` columns. */
function reduce(matrix: Rows, columns: number): Reduced {
  const rows = matrix.map((row) => [...row]);
  const small = negligible * Math.max(1, ...rows.flat().map(Math.abs));
  const pivots: number[] = [];
  for (let column = 0; column < columns && pivots.length < rows.length; column++) {
    const top = pivots.length;
    let best = top;
    for (let row = top + 1; row < rows.length; row++)
      if (Math.abs(rows[row][column]) > Math.abs(rows[best][column])) best = row;
    if (Math.abs(rows[best][column]) <= small) continue;
    [rows[top], rows[best]] = [rows[best], rows[top]];
    const pivot = rows[top][column];
    rows[top] = rows[top].map((value) => value / pivot);
    for (let row = 0; row < rows.length; row++)
      if (row !== top) rows[row] = minus(rows[row], times(rows[row][column], rows[top]));
    pivots.push(column);
  }
  return { rows, pivots };
}

/** The vector with its smallest entry (zeros aside) made 1 in size, and its last entry that is not zero positive. */
function tidy(vector: Vector): Vector {
  const largest = Math.max(...vector.map(Math.abs));
  const cleared = vector.map((value) => (Math.abs(value) <= negligible * largest ? 0 : value));
  const entries = cleared.filter((value) => value !== 0);
  const smallest = Math.min(...entries.map(Math.abs));
  const sign = Math.sign(entries[entries.length - 1]);
  return cleared.map((value) => (value === 0 ? 0 : (sign * value) / smallest));
}

/** A basis of all x with rows * x = 0; x has `columns` entries. One vector for each column without a pivot. */
export function nullSpace(matrix: Rows, columns: number): Rows {
  const { rows, pivots } = reduce(matrix, columns);
  const free = Array.from({ length: columns }, (_, column) => column).filter((column) => !pivots.includes(column));
  return free.map((column) => {
    const vector: Vector = new Array(columns).fill(0);
    vector[column] = 1;
    pivots.forEach((pivot, row) => (vector[pivot] = -rows[row][column]));
    return tidy(vector);
  });
}

/** One x with matrix * x = right, entries without a pivot 0. The caller knows that there is one. */
export function solve(matrix: Rows, right: Vector): Vector {
  const columns = matrix[0].length;
  const { rows, pivots } = reduce(matrix.map((row, index) => [...row, right[index]]), columns);
  const solution: Vector = new Array(columns).fill(0);
  pivots.forEach((pivot, row) => (solution[pivot] = rows[row][columns]));
  return solution;
}

/** The part of `vector` that lies in the span of `basis` (Gram-Schmidt). */
export function projection(vector: Vector, basis: Rows): Vector {
  const axes: Rows = [];
  for (const direction of basis) {
    const rest = axes.reduce((left, axis) => minus(left, times(dot(left, axis), axis)), direction);
    const length = norm(rest);
    if (length > negligible * norm(direction)) axes.push(times(1 / length, rest));
  }
  return axes.reduce((sum, axis) => plus(sum, times(dot(vector, axis), axis)), vector.map(() => 0));
}
