import * as z from "zod";
import { keysOf, type sections, type SectionName } from "./keys.ts";
import * as syntax from "./syntax.ts";
import { words } from "./syntax.ts";

/**
 * The shape of the config, value by value. Every message completes the sentence "it must be ..."
 * (mistakes.ts). No key is required here: a missing `source` must not hide what else is wrong.
 */

type Shape<Name extends SectionName> = Record<keyof (typeof sections)[Name]["keys"], z.ZodType>;

/** A map whose keys are exactly those that keys.ts documents: the compiler sees to it. */
function section<Name extends SectionName, S extends Shape<Name>>(
  name: Name,
  shape: S & Record<Exclude<keyof S, keyof Shape<Name>>, never>,
) {
  const rule = `a map of ${keysOf(name).join(", ")}`;
  return z.strictObject<S>(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? name : rule),
  });
}

function text(rule: string, isRight: (value: string) => boolean) {
  return z.string({ error: rule }).refine(isRight, { error: rule });
}

function list<Item extends z.ZodType>(item: Item, rule: string) {
  return z.array(item, { error: rule });
}

function oneOf<const Word extends string>(...allowed: Word[]) {
  const rule = `${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1) ?? ""}`;
  return z.enum(allowed, { error: rule });
}

const flag = z.boolean({ error: "true or false" });
const oneLine = (value: string): boolean => /^\S([^\r\n]*\S)?$/.test(value);
const anything = z.unknown().optional();

const labelKey = text(words.labelKey, syntax.isLabelKey);
const labelValue = text(words.labelValue, syntax.isLabelValue);

const operators = oneOf("In", "NotIn", "Exists", "DoesNotExist");

/** As Kubernetes validates it; the operator decides about the values (see `superRefine`). */
const expression = section("expression", {
  key: labelKey,
  operator: operators,
  values: list(labelValue, "a list of label values").exactOptional(),
}).superRefine(
  ({ operator, values }, context) => {
    const needed = operator === "In" || operator === "NotIn";
    const isList = values === undefined || Array.isArray(values);
    if (!isList || !operators.safeParse(operator).success) return;
    if (needed === (values ?? []).length > 0) return;
    const message = needed
      ? `a list of at least one label value, as the operator is ${operator}`
      : `left out, as the operator is ${operator}`;
    context.addIssue({ code: "custom", path: ["values"], message, input: values });
  },
  // Even when something else in the expression is wrong: all mistakes are reported at once.
  { when: ({ value }) => typeof value === "object" && value !== null },
);

const selector = section("selector", {
  matchLabels: z
    .record(labelKey, labelValue, { error: "a map of label keys to label values" })
    .exactOptional(),
  matchExpressions: list(expression, "a list of match expressions").exactOptional(),
});

const port = "a whole number from 1 to 65535";
const addresses = "a list of at least one IP address or DNS hostname";

const gateway = section("gateway", {
  name: text(words.serviceName, syntax.isDnsLabel).exactOptional(),
  namespace: text(words.namespace, syntax.isDnsLabel).exactOptional(),
  addresses: list(text(words.address, syntax.isAddress), addresses)
    .min(1, { error: addresses })
    .exactOptional(),
  port: z
    .number({ error: port })
    .int({ error: port })
    .min(1, { error: port })
    .max(65535, { error: port })
    .exactOptional(),
  identity: text("the TLS identity of the gateway, a DNS name", syntax.isDnsName).exactOptional(),
});

const gatewayOrFlat = z.union([z.literal(false), gateway], {
  error: `false, without quotes, or a map of ${keysOf("gateway").join(", ")}`,
});

const deletions = `a whole number from 0 up, without quotes, or a share from "0%" to "100%"`;

function isShare(value: unknown): value is `${number}%` {
  return typeof value === "string" && /^(100|[1-9]?\d)%$/.test(value);
}

const share = z.custom<`${number}%`>(isShare, { error: deletions });
const count = z.number({ error: deletions }).int({ error: deletions }).min(0, { error: deletions });

function excluded(isKey: (text: string) => boolean) {
  const isEntry = (entry: string): boolean => {
    const group = syntax.excludedGroup(entry);
    return group === undefined ? isKey(entry) : isKey(`${group}/any`);
  };
  return list(text(words.excluded, isEntry), "a list of keys and group/* entries").exactOptional();
}

function wholeNumber(rule: string, most = Number.MAX_SAFE_INTEGER) {
  const error = { error: rule };
  return z.number(error).int(error).min(1, error).max(most, error).exactOptional();
}

const linkKeys = {
  gateway: gatewayOrFlat.exactOptional(),
  headless: flag.exactOptional(),
  selector: selector.exactOptional(),
  remoteDiscoverySelector: selector.exactOptional(),
  federatedServiceSelector: selector.exactOptional(),
  excludedLabels: excluded(syntax.isLabelKey),
  excludedAnnotations: excluded(syntax.isAnnotationKey),
  createNamespaces: flag.exactOptional(),
  readiness: oneOf("ignore", "follow").exactOptional(),
  maxDeletions: z.union([count, share], { error: deletions }).exactOptional(),
  allowDeletions: flag.exactOptional(),
  mirroring: oneOf("pulumi", "controller").exactOptional(),
  credentialsGeneration: wholeNumber("a whole number from 1 to 999999999", 999_999_999),
  credentialsMaxAge: wholeNumber("a whole number of days from 1 to 36500", 36500),
  unreachable: oneOf("keep", "fail").exactOptional(),
};

const clusterReference = z.string({ error: "the name of a configured cluster" });

export const linkDefaults = section("linkDefaults", linkKeys);

export const link = section("link", {
  source: clusterReference.exactOptional(),
  target: clusterReference.exactOptional(),
  ...linkKeys,
});

const helmValues = z.record(z.string(), z.unknown(), { error: "a map of Helm values" });

export const cluster = section("cluster", {
  context: text("the name of a kubeconfig context", oneLine).exactOptional(),
  kubeconfig: text("the path of a kubeconfig file, never its content", oneLine).exactOptional(),
  clusterDomain: text(words.dnsName, syntax.isDnsName).exactOptional(),
  apiServer: text(words.url, syntax.isApiServer).exactOptional(),
  gateway: gatewayOrFlat.exactOptional(),
  values: section("charts", {
    "linkerd-crds": helmValues.exactOptional(),
    "linkerd-control-plane": helmValues.exactOptional(),
    "linkerd-multicluster": helmValues.exactOptional(),
  }).exactOptional(),
  uid: text("the UID of the cluster's namespace kube-system", oneLine).exactOptional(),
  gatewayApi: oneOf("install", "assume").exactOptional(),
});

const days = wholeNumber("a whole number of days from 1 to 36500", 36500);
const pem = (what: string) => text(`PEM of ${what}`, (value) => value.trim() !== "");

/** What is in the PEM is judged where one part can be held against the other (trust-checks.ts). */
const trust = section("trust", {
  generation: wholeNumber("a whole number from 1 up"),
  anchorValidityDays: days,
  issuerValidityDays: days,
  renewBeforeDays: days,
  anchors: pem("trust anchors").exactOptional(),
  issuers: z
    .record(
      z.string(),
      section("issuer", { certificate: pem("a certificate"), key: pem("a private key") }),
      { error: "a map of issuers by cluster" },
    )
    .exactOptional(),
});

const chartSource = section("chartSource", {
  version: text(words.version, syntax.isVersion).exactOptional(),
  source: text(words.chartSource, syntax.isChartSource).exactOptional(),
  timeoutSeconds: wholeNumber("a whole number of seconds from 1 up"),
  skipAwait: flag.exactOptional(),
});

/** The top level; clusters, links and linkDefaults are read entry by entry (read.ts). */
export const stack = section("stack", {
  clusters: anything,
  links: anything,
  linkDefaults: anything,
  manage: oneOf("all", "links", "mirrors").exactOptional(),
  topology: z
    .union([oneOf("none", "mesh"), section("topology", { hub: clusterReference })], {
      error: "none, mesh or {hub: <cluster>}",
    })
    .exactOptional(),
  linkerdCheck: flag.exactOptional(),
  linkerdNamespace: text(words.namespace, syntax.isDnsLabel).exactOptional(),
  multiclusterNamespace: text(words.namespace, syntax.isDnsLabel).exactOptional(),
  trust: trust.exactOptional(),
  charts: chartSource.exactOptional(),
});

export type StackInput = z.output<typeof stack>;
export type ClusterInput = z.output<typeof cluster>;
export type LinkInput = z.output<typeof link>;
export type LinkDefaults = z.output<typeof linkDefaults>;
export type GatewayInput = z.output<typeof gateway>;
export type TrustInput = z.output<typeof trust>;
