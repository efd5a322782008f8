/** What each step does, said three times: in words, with the numbers of this row, and as the formula. */
import type { Ledger, LedgerRow } from "./ledger";
import { vectorText } from "./ledger";
import { numberText, type Level } from "./state";

export interface StepWords {
  compare: string[];
  normalize: string[];
  combine: string[];
}

const words: StepWords = {
  compare: [
    "Every token asks a question, its {q|query}, and wears a name tag, its {k|key}: both are arrows.",
    "The more a key points the way the query points, and the longer the two are, the better they match.",
  ],
  normalize: [
    "The matches are toned down a little (scale) and turned into shares that add up to exactly 1 (normalize).",
    "Each share is a {m|weight}: how much of its attention the query gives to that token.",
  ],
  combine: [
    "Every token also has something to give: its {v|value}.",
    "The {m|mixture} is the average of the values, each counted by its weight, so it never leaves the shaded area between them.",
  ],
};

/** The row that examples are made from: the chosen key, or else the heaviest. */
export function exampleRow(ledger: Ledger, key: number | null): LedgerRow {
  if (key !== null) return ledger.rows[key];
  return ledger.rows.reduce((best, row) => ((row.weight ?? -1) > (best.weight ?? -1) ? row : best));
}

const factor = (value: number) => (value < 0 ? `(${numberText(value)})` : numberText(value));

function products(ledger: Ledger, row: LedgerRow): string {
  return ledger.query.map((q, i) => `${factor(q)}·${factor(row.key[i])}`).join(" + ");
}

function shareText(ledger: Ledger, row: LedgerRow, fixed: (value: number) => string): string {
  return row.weight === null ? "hidden" : `${fixed(row.exponential!)} / ${fixed(ledger.total)} = ${fixed(row.weight)}`;
}

function numbers(ledger: Ledger, row: LedgerRow, fixed: (value: number) => string): StepWords {
  const scaled = ledger.defaultScale ? `÷ √${ledger.query.length}` : `× ${numberText(ledger.scale)}`;
  return {
    compare: [`“${ledger.label}” with “${row.label}”: ${products(ledger, row)} = ${numberText(row.raw)}.`],
    normalize: [
      `Score of “${row.label}”: ${numberText(row.raw)} ${scaled} = ${fixed(row.score)}.`,
      row.weight === null ? `${row.why}.` : `Its share of the exponentials: ${shareText(ledger, row, fixed)}.`,
    ],
    combine: [
      row.part === null
        ? `“${row.label}” gives nothing: it is hidden.`
        : `“${row.label}” gives ${fixed(row.weight!)} × ${vectorText(row.value, numberText)} = ${vectorText(row.part, fixed)}.`,
      `All together: ${vectorText(ledger.mixture, fixed)}.`,
    ],
  };
}

function algebra(ledger: Ledger, row: LedgerRow, fixed: (value: number) => string): StepWords {
  const scale = ledger.defaultScale ? "/ √d_k" : "· scale";
  const shift = ledger.shift === null ? "" : " − max s_im";
  const seen = ledger.rows.filter((one) => one.weight !== null);
  return {
    compare: ["r_ij = q_i · k_j = Σ q_ic k_jc", `= ${products(ledger, row)} = ${numberText(row.raw)}`],
    normalize: [
      `s_ij = r_ij ${scale} = ${fixed(row.score)}`,
      `p_ij = exp(s_ij${shift}) / Σ exp(s_im${shift}) = ${shareText(ledger, row, fixed)}`,
    ],
    combine: [
      "o_i = Σ p_ij v_j",
      `= ${seen.map((one) => `${fixed(one.weight!)} ${vectorText(one.value, numberText)}`).join(" + ")} = ${vectorText(ledger.mixture, fixed)}`,
    ],
  };
}

export function stepWords(level: Level, ledger: Ledger, key: number | null, fixed: (value: number) => string): StepWords {
  const row = exampleRow(ledger, key);
  return level === "words" ? words : level === "numbers" ? numbers(ledger, row, fixed) : algebra(ledger, row, fixed);
}

/** Headings of the ledger's columns. */
export const columnWords: Record<Level, Record<string, string>> = {
  words: { key: "key", raw: "match", score: "scaled", allowed: "may be seen", exponential: "exponential", weight: "weight", value: "value", part: "weight × value" },
  numbers: { key: "key", raw: "q · k", score: "÷ √d", allowed: "allowed", exponential: "exponential", weight: "weight", value: "value", part: "weight × value" },
  algebra: { key: "k_j", raw: "r_ij = q_i · k_j", score: "s_ij", allowed: "j seen by i", exponential: "exp(s_ij)", weight: "p_ij", value: "v_j", part: "p_ij v_j" },
};
