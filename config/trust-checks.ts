import {
  anchorProblem,
  anchorsBehind,
  type Certificate,
  certificatesIn,
  issuerProblem,
  keyProblem,
  timeProblem,
} from "@linkerd-multicluster/engine/trust";
import { generatedTrust } from "./keys.ts";
import { listed, type Path, quoted, sentence, shown, where } from "./mistakes.ts";
import type { Readings, StackInput } from "./read.ts";
import { defaultsOf } from "./schema.ts";

type TrustInput = NonNullable<StackInput["trust"]>;
type IssuersInput = NonNullable<TrustInput["issuers"]>;

/** What decides about `trust` and is not in the config itself. */
export interface Circumstances {
  readonly now: Date;
  /** Whether the stack holds the key of this cluster's issuer as plain text. */
  readonly isPlainKey: (cluster: string) => boolean;
  /** Whether a top-level key is in a file that stacks share, where nothing is a secret. */
  readonly isShared?: (key: string) => boolean;
}

/** What of `trust` does not go together, and what is in its PEM. Never repeats any of the latter. */
export function trust(readings: Readings, circumstances: Circumstances): string[] {
  const { values, wrong } = readings.stack;
  if (wrong.has("trust")) return [];
  if (values.trust === undefined) return trustOfItsOwn(readings);
  const { external = false, anchors, issuers } = values.trust;
  if (external) return [...noneOfOthers(readings), ...nothingElse(values.trust, "external")];
  if (values.trust.stack !== undefined)
    return [...noneOfOthers(readings), ...nothingElse(values.trust, "stack")];
  const pods = ignoredPods(values.trust, readings);
  if (anchors === undefined && issuers === undefined)
    return [
      ...trustOfItsOwn(readings),
      ...validity(values.trust),
      ...extraAnchors(values.trust),
      ...pods,
    ];
  const provided = providedAnchors(anchors, issuers, readings, circumstances);
  return [...noneOfOthers(readings), ...oneKind(values.trust), ...provided, ...pods];
}

/** Anchors that a stack generates are trusted by its own clusters alone. */
function trustOfItsOwn({ stack: { values }, clusters }: Readings): string[] {
  const { manage = "all", sources } = values;
  if (manage !== "all" || sources === undefined || sources.length === 0) return [];
  const others = [...(clusters?.keys() ?? [])].filter((name) => !sources.includes(name));
  if (others.length === 0) return [];
  const rule = `it must say where the trust comes from that this stack's clusters share with those of other stacks (${listed(others)}): as stack, as anchors and issuers, or as external: true`;
  return [sentence(["trust"], "leaves it to this stack to generate a trust anchor", rule)];
}

/** With `manage: trust`, the stack is where the trust comes from. */
function noneOfOthers({ stack: { values } }: Readings): string[] {
  if (values.manage !== "trust") return [];
  return ["external", "stack", "anchors", "issuers"]
    .filter((key) => Object.hasOwn(values.trust ?? {}, key))
    .map((key) => {
      const rule = `it must be left out where ${where(["manage"])} is "trust": this stack generates the trust, and the stacks of the clusters take it from here`;
      return sentence(["trust", key], "is set", rule);
    });
}

function nothingElse(input: TrustInput, decisive: "external" | "stack"): string[] {
  return Object.keys(input)
    .filter((key) => key !== decisive)
    .map((key) => {
      const rule = `it must be left out, as ${where(["trust", decisive])} is ${decisive === "external" ? "true" : "set"}`;
      return sentence(["trust", key], "is set", rule);
    });
}

function ignoredPods({ ignorePods = [] }: TrustInput, { clusters }: Readings): string[] {
  return ignorePods.flatMap((entry, index) => {
    const [cluster = ""] = entry.split("/");
    if (clusters === undefined || clusters.has(cluster)) return [];
    const state = `is for cluster ${quoted(cluster)}`;
    return [
      sentence(
        ["trust", "ignorePods", index],
        state,
        "it must be for one of the configured clusters",
      ),
    ];
  });
}

function extraAnchors({ extraAnchors: pem }: TrustInput): string[] {
  return pem === undefined
    ? []
    : anchorMistakes(["trust", "extraAnchors"], pem, certificatesIn(pem));
}

function anchorMistakes(
  path: Path,
  pem: string,
  anchors: readonly Certificate[] | string,
): string[] {
  if (typeof anchors === "string")
    return [sentence(path, `is ${shown(pem, path)}`, `it must be ${anchors}`)];
  return anchors.flatMap((anchor, index) => {
    const problem = anchorProblem(anchor);
    const state = `has ${quoted(anchor.name)} as certificate ${index + 1}`;
    return problem === undefined ? [] : [sentence(path, state, `it must be ${problem}`)];
  });
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
  return [...Object.keys(generatedTrust), "extraAnchors"]
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
  circumstances: Circumstances,
): string[] {
  const path = ["trust", "anchors"];
  if (pem === undefined) {
    const rule = `it must be set, as ${where(["trust", "issuers"])} is`;
    return [sentence(path, "is missing", rule)];
  }
  const anchors = certificatesIn(pem);
  const wrong = anchorMistakes(path, pem, anchors);
  if (typeof anchors === "string") return wrong;
  return [...wrong, ...providedIssuers(issuers ?? {}, anchors, readings, circumstances)];
}

function providedIssuers(
  issuers: IssuersInput,
  anchors: readonly Certificate[],
  { stack, clusters = new Map() }: Readings,
  circumstances: Circumstances,
): string[] {
  const strangers = Object.keys(issuers)
    .filter((name) => !clusters.has(name))
    .map((name) => {
      const rule = "it must be for one of the configured clusters";
      return sentence(["trust", "issuers", name], `is for cluster ${quoted(name)}`, rule);
    });
  const own = new Set(stack.values.sources ?? clusters.keys());
  const each = [...clusters].flatMap(([name, { values }]) => {
    if (values.revoked === true || (!own.has(name) && !Object.hasOwn(issuers, name))) return [];
    const path = ["trust", "issuers", name];
    const issuer = Object.hasOwn(issuers, name) ? issuers[name] : undefined;
    if (issuer !== undefined)
      return [
        ...providedIssuer(path, issuer, anchors, circumstances.now),
        ...keyInTheOpen(path, name, circumstances),
      ];
    const rule = `it must be set, as ${where(["trust", "anchors"])} is`;
    return [sentence(path, "is missing", rule)];
  });
  return [...strangers, ...each];
}

/** A file is in a repository, and state would hold the key as it is. */
function keyInTheOpen(path: Path, cluster: string, circumstances: Circumstances): string[] {
  const at = [...path, "key"];
  if (circumstances.isShared?.("trust") === true) {
    const rule = `it must be a secret in the config of the cluster's own stack, whose trust then replaces this one, and a key that was in a file as it is should be replaced`;
    return [sentence(at, "is plain text", rule)];
  }
  return circumstances.isPlainKey(cluster) ? [plainKey(at)] : [];
}

function plainKey(at: Path): string {
  const rule = `it must be a secret, and a key that was in a file as it is should be replaced: pulumi config set --secret --path '${where(at)}' < key.pem`;
  return sentence(at, "is plain text in the stack config", rule);
}

function providedIssuer(
  path: Path,
  { certificate: pem, key }: IssuersInput[string],
  anchors: readonly Certificate[],
  now: Date,
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
  for (const certificate of chain) {
    const time = timeProblem(certificate, now);
    const which = certificate === issuer ? state : `has ${quoted(certificate.name)} in its chain`;
    if (time !== undefined) mistakes.push(sentence(at, which, `it must be ${time}`));
  }
  const behind = anchorsBehind(chain, anchors);
  const signed = `it must be signed by one of ${where(["trust", "anchors"])}`;
  if (behind.length === 0) mistakes.push(sentence(at, state, signed));
  else if (behind.every((anchor) => timeProblem(anchor, now) !== undefined))
    mistakes.push(sentence(at, state, `${signed} that is valid now`));
  if (keyWrong !== undefined) {
    const keyPath = [...path, "key"];
    mistakes.push(sentence(keyPath, `is ${shown(key, keyPath)}`, `it must be ${keyWrong}`));
  }
  return mistakes;
}
