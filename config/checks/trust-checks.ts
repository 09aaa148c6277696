import { listed } from "@linkerd-multicluster/engine/base";
import {
  anchorProblem,
  type Certificate,
  certificatesIn,
  chainProblems,
  keyProblem,
} from "@linkerd-multicluster/engine/trust";
import { generatedTrust, trust as trustSection } from "../keys/trust-keys.ts";
import {
  mustBeLeftOut,
  mustBe,
  type Path,
  quoted,
  sentence,
  where,
  wrongValue,
} from "../read/mistakes.ts";
import type { Readings, StackInput } from "../read/read.ts";
import { filled } from "../keys/schema.ts";

const trustKeys = trustSection.keys;

type TrustInput = StackInput["trust"];
type IssuersInput = NonNullable<TrustInput["issuers"]>;

/** These facts decide about `trust` and aren't in the config. */
export interface Circumstances {
  readonly now?: Date;
  /** Tells whether the stack holds this issuer's key as plain text. */
  readonly isPlainKey?: (cluster: string) => boolean;
  /** Tells whether a top-level key comes from a shared file, where nothing is secret. */
  readonly isShared?: (key: string) => boolean;
  /** These top-level keys hold secrets that nobody has decrypted, so only their names are known. */
  readonly sealed?: ReadonlySet<string>;
}

/** Reports contradictions between keys of `trust`, and mistakes in its PEM without quoting it. */
export function trust(readings: Readings, circumstances: Circumstances): string[] {
  const { values, wrong } = readings.stack;
  if (wrong.has("trust") || circumstances.sealed?.has("trust") === true) return [];
  const { external, stack, anchors, issuers } = filled(trustKeys, values.trust);
  const decisive = external ? "external" : stack === undefined ? undefined : "stack";
  if (decisive !== undefined)
    return [...noneOfOthers(readings), ...nothingElse(values.trust, decisive)];
  const checks =
    anchors === undefined && issuers === undefined
      ? [trustOfItsOwn, validity, extraAnchors, ignoredPods]
      : [noneOfOthers, oneKind, providedAnchors, ignoredPods];
  return checks.flatMap((check) => check(readings, circumstances));
}

/** Only a stack's own clusters trust the anchors that it generates. */
function trustOfItsOwn({ stack: { values }, clusters }: Readings): string[] {
  const { manage, sources = [] } = values;
  if (manage !== "all" || sources.length === 0) return [];
  const others = [...(clusters?.keys() ?? [])].filter((name) => !sources.includes(name));
  if (others.length === 0) return [];
  const rule = `it must say where this stack's clusters get the trust that they share with clusters of other stacks (${listed(others)}): as stack, as anchors and issuers, or as external: true`;
  return [sentence(["trust"], "leaves it to this stack to generate a trust anchor", rule)];
}

/** A stack with `manage: trust` is the origin of the trust. */
function noneOfOthers({ stack: { values } }: Readings): string[] {
  if (values.manage !== "trust") return [];
  const why = ` where ${where(["manage"])} is "trust": this stack generates the trust, and the stacks of the clusters take it from here`;
  return tooMuch(values.trust, ["external", "stack", "anchors", "issuers"], why);
}

function nothingElse(input: TrustInput, decisive: "external" | "stack"): string[] {
  const others = Object.keys(input).filter((key) => key !== decisive && key !== "restart");
  const state = decisive === "external" ? "true" : "set";
  return tooMuch(input, others, `, as ${where(["trust", decisive])} is ${state}`);
}

function tooMuch(input: TrustInput, keys: readonly string[], why: string): string[] {
  return keys
    .filter((key) => Object.hasOwn(input, key))
    .map((key) => mustBeLeftOut(["trust", key], why));
}

function ignoredPods({ stack, clusters }: Readings): string[] {
  const { ignorePods } = filled(trustKeys, stack.values.trust);
  return ignorePods.flatMap((entry, index) => {
    const [cluster = ""] = entry.split("/");
    if (clusters === undefined || clusters.has(cluster)) return [];
    return [forNoCluster(["trust", "ignorePods", index], cluster)];
  });
}

function forNoCluster(path: Path, cluster: string): string {
  return mustBe(path, `is for cluster ${quoted(cluster)}`, "for one of the configured clusters");
}

function extraAnchors({ stack }: Readings): string[] {
  const { extraAnchors: pem } = stack.values.trust;
  const path = ["trust", "extraAnchors"];
  // Each bundle also has the anchors of two generations.
  return pem === undefined ? [] : anchorMistakes(path, pem, certificatesIn(pem, 2));
}

function anchorMistakes(
  path: Path,
  pem: string,
  anchors: ReturnType<typeof certificatesIn>,
): string[] {
  if ("why" in anchors) return [wrongValue(path, pem, anchors.why)];
  return anchors.value.flatMap((anchor, index) => {
    const problem = anchorProblem(anchor);
    const state = `has ${quoted(anchor.name)} as certificate ${index + 1}`;
    return problem === undefined ? [] : [mustBe(path, state, problem)];
  });
}

function validity({ stack }: Readings): string[] {
  const {
    anchorValidityDays: anchor,
    issuerValidityDays: issuer,
    renewBeforeDays: renew,
  } = filled(trustKeys, stack.values.trust);
  const found = [
    renew >= issuer &&
      wrongValue(
        ["trust", "renewBeforeDays"],
        renew,
        `less than the ${issuer} of issuerValidityDays`,
      ),
    issuer > anchor &&
      wrongValue(
        ["trust", "issuerValidityDays"],
        issuer,
        `at most the ${anchor} of anchorValidityDays`,
      ),
  ];
  return found.filter((each) => each !== false);
}

function oneKind({ stack }: Readings): string[] {
  const why = `, as ${where(["trust", "anchors"])} provides the certificates`;
  return tooMuch(stack.values.trust, [...Object.keys(generatedTrust), "extraAnchors"], why);
}

function providedAnchors(readings: Readings, circumstances: Circumstances): string[] {
  const path = ["trust", "anchors"];
  const { anchors: pem, issuers = {} } = readings.stack.values.trust;
  if (pem === undefined)
    return [mustBe(path, "is missing", `set, as ${where(["trust", "issuers"])} is`)];
  const anchors = certificatesIn(pem);
  const wrong = anchorMistakes(path, pem, anchors);
  if ("why" in anchors) return wrong;
  return [...wrong, ...providedIssuers(issuers, anchors.value, readings, circumstances)];
}

function providedIssuers(
  issuers: IssuersInput,
  anchors: readonly Certificate[],
  { stack, clusters = new Map() }: Readings,
  circumstances: Circumstances,
): string[] {
  const unknown = Object.keys(issuers)
    .filter((name) => !clusters.has(name))
    .map((name) => forNoCluster(["trust", "issuers", name], name));
  const own = new Set(stack.values.sources ?? clusters.keys());
  const each = [...clusters].flatMap(([name, { values }]) => {
    if (values.revoked === true || (!own.has(name) && !Object.hasOwn(issuers, name))) return [];
    const path = ["trust", "issuers", name];
    const issuer = Object.hasOwn(issuers, name) ? issuers[name] : undefined;
    if (issuer === undefined)
      return [mustBe(path, "is missing", `set, as ${where(["trust", "anchors"])} is`)];
    return [
      ...providedIssuer(path, issuer, anchors, circumstances.now ?? new Date()),
      ...keyInTheOpen(path, name, circumstances),
    ];
  });
  return [...unknown, ...each];
}

/** A file is usually in a repository, and state would hold the key in plain text. */
function keyInTheOpen(path: Path, cluster: string, circumstances: Circumstances): string[] {
  const at = [...path, "key"];
  const replaced = "a key that was in a file as it is should be replaced";
  if (circumstances.isShared?.("trust") === true) {
    const rule = `a secret in the config of the cluster's own stack, whose trust then replaces this one, and ${replaced}`;
    return [mustBe(at, "is plain text", rule)];
  }
  if (circumstances.isPlainKey?.(cluster) !== true) return [];
  const rule = `a secret, and ${replaced}: pulumi config set --secret --path '${where(at)}' < key.pem`;
  return [mustBe(at, "is plain text in the stack config", rule)];
}

function providedIssuer(
  path: Path,
  { certificate: pem, key }: IssuersInput[string],
  anchors: readonly Certificate[],
  now: Date,
): string[] {
  const at = [...path, "certificate"];
  const found = certificatesIn(pem);
  if ("why" in found) return [wrongValue(at, pem, found.why)];
  const { value: chain } = found;
  const [issuer] = chain;
  const state = `is ${quoted(issuer.name)}`;
  const keyWrong = keyProblem(key, issuer);
  const those = `one of ${where(["trust", "anchors"])}`;
  const mistakes = chainProblems(chain, { anchors, those, now }).map(({ certificate, problem }) => {
    const which = certificate === issuer ? state : `has ${quoted(certificate.name)} in its chain`;
    return mustBe(at, which, problem);
  });
  if (keyWrong !== undefined) mistakes.push(wrongValue([...path, "key"], key, keyWrong));
  return mistakes;
}
