// challenge.ts - blanks to fill in one query's ledger, one step at a time, each checked to two decimals.
import type { Head } from "./engine";

export const challengeSteps = ["compare", "scale", "normalize", "combine"] as const;
export type ChallengeStep = (typeof challengeSteps)[number];

export interface Blank {
  step: ChallengeStep;
  index: number; // the key, or the number of the mixture for combine
  answer: number;
}

/** The blanks of one step; hidden pairs leave none. */
export function blanksOf(head: Head, query: number, step: ChallengeStep): Blank[] {
  if (step === "combine") return head.combine[query]!.map((answer, index) => ({ step, index, answer }));
  return head[step][query]!.flatMap((answer, index) =>
    answer === null || head.normalize[query]![index] === null ? [] : [{ step, index, answer }],
  );
}

export type Verdict = "empty" | "unreadable" | "right" | "wrong";

const halfOfLastDecimal = 0.005;
const slack = 1e-9; // of the decimal that was typed, which a double holds only nearly

/** Right when what was typed is at most half of a hundredth away. A comma may stand for the point. */
export function check(typed: string, answer: number): Verdict {
  const text = typed.trim().replace(",", ".").replace("\u2212", "-");
  if (text === "") return "empty";
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return "unreadable";
  return Math.abs(Number(text) - answer) <= halfOfLastDecimal + slack ? "right" : "wrong";
}
