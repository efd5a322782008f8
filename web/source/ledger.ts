/** The ledger: one query's story, a row for each key, and the products behind each number. Every number comes from the
 *  engine or is a single product or sum of doubles, which JavaScript and C round alike. */
import type { Engine, Worked } from "./engine";
import { tokenLabels } from "./labels";
import { numberText } from "./state";

export interface LedgerRow {
  label: string;
  key: number[];
  value: number[];
  raw: number;
  score: number;
  allowed: boolean;
  why: string; // why it is allowed or hidden
  exponential: number | null;
  weight: number | null;
  part: number[] | null; // weight times value
}

export interface Ledger {
  label: string; // of the query
  query: number[];
  rows: LedgerRow[];
  scale: number;
  defaultScale: boolean; // scale is 1 / sqrt(width)
  shift: number | null; // taken off each score before the exponential, where those would go out of sight
  total: number; // sum of the exponentials
  weightSum: number;
  mixture: number[];
  lse: number;
}

export type Column = "raw" | "score" | "allowed" | "exponential" | "weight" | "part";
export const columns: Column[] = ["raw", "score", "allowed", "exponential", "weight", "part"];

/** The command line's rule (cli/trace_facts.c): beyond these the largest score is taken out first. */
const shownFrom = 0.1, shownTo = 1e5;

function shiftOf(engine: Engine, scores: number[]): number | null {
  const top = Math.max(...scores);
  const largest = engine.exponential(top);
  return scores.length > 0 && !(largest >= shownFrom && largest < shownTo) ? top : null;
}

function whyAllowed(worked: Worked, query: number, key: number, allowed: boolean): string {
  if (!allowed && worked.causal && key > query) return "hidden: it comes later, and the mask is causal";
  if (!allowed) return "hidden: this edge is cut";
  return worked.causal ? "allowed: it does not come later" : "allowed: every query sees every key";
}

export function ledgerOf(engine: Engine, worked: Worked, head: number, query: number): Ledger {
  const { q, k, v, compare, scale, mask, normalize, combine, lse } = worked.heads[head];
  const labels = tokenLabels(worked.tokens);
  const seen = mask[query].filter((score): score is number => score !== null);
  const shift = shiftOf(engine, seen);
  const rows = worked.tokens.map((_, key): LedgerRow => {
    const score = mask[query][key], weight = normalize[query][key];
    return {
      label: labels[key],
      key: k[key],
      value: v[key],
      raw: compare[query][key],
      score: scale[query][key]!,
      allowed: score !== null,
      why: whyAllowed(worked, query, key, score !== null),
      exponential: score === null ? null : engine.exponential(score - (shift ?? 0)),
      weight,
      part: weight === null ? null : v[key].map((value) => weight * value),
    };
  });
  return {
    label: labels[query], query: q[query], rows, shift,
    scale: worked.scale,
    defaultScale: worked.scale === Math.sqrt(1 / q[query].length),
    total: rows.reduce((sum, row) => sum + (row.exponential ?? 0), 0),
    weightSum: rows.reduce((sum, row) => sum + (row.weight ?? 0), 0),
    mixture: combine[query],
    lse: lse[query],
  };
}

/** Decimals of a list: none where all are whole, as on the command line. */
export function listDigits(numbers: (number | null)[], digits: number): number {
  return numbers.every((number) => number === null || Number.isInteger(number)) ? 0 : digits;
}

export interface Digits {
  raw: number;
  score: number;
  exponential: number;
  weight: number;
  value: number;
  part: number;
}

export function columnDigits(ledger: Ledger, digits: number): Digits {
  const { rows } = ledger;
  return {
    raw: listDigits(rows.map((row) => row.raw), digits),
    score: listDigits(rows.map((row) => row.score), digits),
    exponential: digits,
    weight: digits,
    value: listDigits(rows.flatMap((row) => row.value), digits),
    part: digits,
  };
}

/** How a number came about, in lines of plain text. */
export interface Story {
  title: string;
  lines: string[];
  exact: string | null; // the double itself, in the shortest decimals that give it back
}

const guarded = (text: string) => (text.startsWith("-") ? `(${text})` : text);
const factor = (value: number) => guarded(numberText(value));

/** "(1, 2)", not to be broken over lines. */
export function vectorText(numbers: number[], text: (value: number) => string): string {
  return `(${numbers.map(text).join(",\u00a0")})`;
}

function divisor(ledger: Ledger): string {
  return ledger.defaultScale ? `÷ √${ledger.query.length}` : `× ${numberText(ledger.scale)}`;
}

type Teller = (ledger: Ledger, row: LedgerRow, fixed: (value: number) => string) => Story;

const tellers: Record<Column, Teller> = {
  raw: (ledger, row) => ({
    title: `query of ${ledger.label} · key of ${row.label}`,
    lines: [`${ledger.query.map((q, i) => `${factor(q)} × ${factor(row.key[i])}`).join(" + ")} = ${numberText(row.raw)}`,
      ...(ledger.query.length > 1
        ? [`the products: ${ledger.query.map((q, i) => numberText(q * row.key[i])).join(", ")}`] : [])],
    exact: numberText(row.raw),
  }),
  score: (ledger, row, fixed) => ({
    title: `score of ${row.label}: the match, scaled`,
    lines: [`${numberText(row.raw)} ${divisor(ledger)} = ${fixed(row.score)}`],
    exact: numberText(row.score),
  }),
  allowed: (ledger, row) => ({
    title: `may ${ledger.label} see ${row.label}?`, lines: [row.why], exact: null,
  }),
  exponential: (ledger, row, fixed) =>
    row.exponential === null
      ? { title: `exponential of ${row.label}`, lines: [`${row.why}; it counts nothing`], exact: null }
      : {
          title: `exponential of ${row.label}`,
          lines: [ledger.shift === null
            ? `e^${guarded(fixed(row.score))} = ${fixed(row.exponential)}`
            : `e^(${fixed(row.score)} − ${guarded(fixed(ledger.shift))}) = ${fixed(row.exponential)}`,
            ...(ledger.shift === null ? []
              : ["The largest score is taken off first, so that the exponentials stay in sight. It changes no weight."])],
          exact: numberText(row.exponential),
        },
  weight: (ledger, row, fixed) =>
    row.weight === null
      ? { title: `weight of ${row.label}`, lines: [`${row.why}; its weight is nothing at all`], exact: null }
      : {
          title: `weight of ${row.label}: its share of the total`,
          lines: [`${fixed(row.exponential!)} ÷ ${fixed(ledger.total)} = ${fixed(row.weight)}`],
          exact: numberText(row.weight),
        },
  part: (_ledger, row, fixed) =>
    row.part === null
      ? { title: `what ${row.label} gives`, lines: [`${row.why}; it gives nothing`], exact: null }
      : {
          title: `what ${row.label} gives: weight × value`,
          lines: [row.part.map((part, i) => `${fixed(row.weight!)} × ${factor(row.value[i])} = ${fixed(part)}`).join(";  ")],
          exact: row.part.map(numberText).join(", "),
        },
};

function sumStory(ledger: Ledger, column: Column, fixed: (value: number) => string): Story {
  const seen = ledger.rows.filter((row) => row.allowed);
  if (column === "exponential")
    return { title: "total of the exponentials",
      lines: [`${seen.map((row) => fixed(row.exponential!)).join(" + ")} = ${fixed(ledger.total)}`],
      exact: numberText(ledger.total) };
  if (column === "weight")
    return { title: "the weights together",
      lines: [`${seen.map((row) => fixed(row.weight!)).join(" + ")} = ${fixed(ledger.weightSum)}`,
        "Rounded weights may miss 1 by a little; the exact ones add up to it."],
      exact: numberText(ledger.weightSum) };
  return { title: `the mixture of ${ledger.label}`,
    lines: ledger.mixture.map((mixture, i) => {
      const shown = fixed(seen.reduce((sum, row) => sum + Number(fixed(row.weight!)) * row.value[i], 0));
      const products = seen.map((row) => `${fixed(row.weight!)} × ${factor(row.value[i])}`).join(" + ");
      return shown === fixed(mixture) ? `${products} = ${shown}`
        : `${products} = ${shown} with the rounded weights shown, ${fixed(mixture)} with the exact ones`;
    }),
    exact: ledger.mixture.map(numberText).join(", ") };
}

/** The story of a cell; row null: of the last line. */
export function storyOf(ledger: Ledger, row: number | null, column: Column, fixed: (value: number) => string): Story {
  return row === null ? sumStory(ledger, column, fixed) : tellers[column](ledger, ledger.rows[row], fixed);
}

/** "query sat gives 0.735 to cat, 0.179 to sat, ...": for ears. */
export function sentenceOf(ledger: Ledger, fixed: (value: number) => string): string {
  const seen = ledger.rows.filter((row) => row.weight !== null).sort((a, b) => b.weight! - a.weight!);
  const hidden = ledger.rows.length - seen.length;
  const gives = seen.map((row) => `${fixed(row.weight!)} to “${row.label}”`).join(", ");
  const rest = hidden === 0 ? "" : hidden === 1 ? "; 1 key is hidden" : `; ${hidden} keys are hidden`;
  if (seen.length === 0) return `Query “${ledger.label}” sees no key.`;
  return `Query “${ledger.label}” gives ${gives}${rest}. The mixture is ${vectorText(ledger.mixture, fixed)}.`;
}
