/** Says what the last run did for a rotation of the trust anchor, by its stage. */
const sentences: Readonly<Record<string, string>> = {
  bundle: "Step 1 of 3 is done: every cluster that was reached trusts the new anchor.",
  reissue: "Step 2 of 3 is done: every cluster has an issuer under the new anchor.",
  drop: "Step 3 of 3 is done: no cluster trusts the old anchor.",
  settled: "The rotation is complete.",
};

export function stepSentence(stage = ""): string {
  return sentences[stage] ?? "The last run took no step; the next one says why (pulumi preview).";
}
