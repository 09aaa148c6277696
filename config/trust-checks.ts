import {
  anchorProblem,
  anchorsBehind,
  type Certificate,
  certificatesIn,
  issuerProblem,
  keyProblem,
} from "@linkerd-multicluster/engine/trust";
import { generatedTrust } from "./keys.ts";
import { type Path, quoted, sentence, shown, where } from "./mistakes.ts";
import type { Readings, StackInput } from "./read.ts";
import { defaultsOf } from "./schema.ts";

type TrustInput = NonNullable<StackInput["trust"]>;
type IssuersInput = NonNullable<TrustInput["issuers"]>;

/** What of `trust` does not go together, and what is in its PEM. Never repeats any of the latter. */
export function trust(readings: Readings): string[] {
  const { values, wrong } = readings.stack;
  if (values.trust === undefined || wrong.has("trust")) return [];
  const { anchors, issuers } = values.trust;
  if (anchors === undefined && issuers === undefined) return validity(values.trust);
  return [...oneKind(values.trust), ...providedAnchors(anchors, issuers, readings)];
}

function validity(input: TrustInput): string[] {
  const { anchorValidityDays, issuerValidityDays, renewBeforeDays } = {
    ...defaultsOf(generatedTrust),
    ...input,
  };
  const mistakes: string[] = [];
  if (renewBeforeDays >= issuerValidityDays) {
    const rule = `it must be less than the ${issuerValidityDays} of issuerValidityDays`;
    mistakes.push(sentence(["trust", "renewBeforeDays"], `is ${renewBeforeDays}`, rule));
  }
  if (issuerValidityDays > anchorValidityDays) {
    const rule = `it must be at most the ${anchorValidityDays} of anchorValidityDays`;
    mistakes.push(sentence(["trust", "issuerValidityDays"], `is ${issuerValidityDays}`, rule));
  }
  return mistakes;
}

function oneKind(input: TrustInput): string[] {
  return Object.keys(generatedTrust)
    .filter((key) => Object.hasOwn(input, key))
    .map((key) => {
      const rule = `it must be left out, as ${where(["trust", "anchors"])} provides the certificates`;
      return sentence(["trust", key], "is set", rule);
    });
}

function providedAnchors(
  pem: string | undefined,
  issuers: IssuersInput | undefined,
  readings: Readings,
): string[] {
  const path = ["trust", "anchors"];
  if (pem === undefined) {
    const rule = `it must be set, as ${where(["trust", "issuers"])} is`;
    return [sentence(path, "is missing", rule)];
  }
  const anchors = certificatesIn(pem);
  if (typeof anchors === "string")
    return [sentence(path, `is ${shown(pem, path)}`, `it must be ${anchors}`)];
  const wrong = anchors.flatMap((anchor, index) => {
    const problem = anchorProblem(anchor);
    const state = `has ${quoted(anchor.name)} as certificate ${index + 1}`;
    return problem === undefined ? [] : [sentence(path, state, `it must be ${problem}`)];
  });
  return [...wrong, ...providedIssuers(issuers ?? {}, anchors, readings)];
}

function providedIssuers(
  issuers: IssuersInput,
  anchors: readonly Certificate[],
  { clusters = new Map() }: Readings,
): string[] {
  const strangers = Object.keys(issuers)
    .filter((name) => !clusters.has(name))
    .map((name) => {
      const rule = "it must be for one of the configured clusters";
      return sentence(["trust", "issuers", name], `is for cluster ${quoted(name)}`, rule);
    });
  const each = [...clusters].flatMap(([name, { values }]) => {
    if (values.revoked === true) return [];
    const path = ["trust", "issuers", name];
    const issuer = Object.hasOwn(issuers, name) ? issuers[name] : undefined;
    if (issuer !== undefined) return providedIssuer(path, issuer, anchors);
    const rule = `it must be set, as ${where(["trust", "anchors"])} is`;
    return [sentence(path, "is missing", rule)];
  });
  return [...strangers, ...each];
}

function providedIssuer(
  path: Path,
  { certificate: pem, key }: IssuersInput[string],
  anchors: readonly Certificate[],
): string[] {
  const at = [...path, "certificate"];
  const chain = certificatesIn(pem);
  if (typeof chain === "string")
    return [sentence(at, `is ${shown(pem, at)}`, `it must be ${chain}`)];
  const [issuer] = chain;
  if (issuer === undefined) return [];
  const state = `is ${quoted(issuer.name)}`;
  const problem = issuerProblem(issuer);
  const keyWrong = keyProblem(key, issuer);
  const mistakes: string[] = [];
  if (problem !== undefined) mistakes.push(sentence(at, state, `it must be ${problem}`));
  if (anchorsBehind(chain, anchors).length === 0)
    mistakes.push(
      sentence(at, state, `it must be signed by one of ${where(["trust", "anchors"])}`),
    );
  if (keyWrong !== undefined) {
    const keyPath = [...path, "key"];
    mistakes.push(sentence(keyPath, `is ${shown(key, keyPath)}`, `it must be ${keyWrong}`));
  }
  return mistakes;
}
