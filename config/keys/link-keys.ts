import * as z from "zod";
import { linkDefaults as engine, type LinkSpec } from "@linkerd-multicluster/engine/mirroring";
import { gateway, gatewayOrFlat } from "./gateway-keys.ts";
import {
  choice,
  type Key,
  type Keys,
  linking,
  list,
  off,
  oneOf,
  only,
  optional,
  required,
  section,
  wholeNumber,
  withDefault,
} from "./schema.ts";
import * as syntax from "./syntax.ts";

const operators = oneOf("In", "NotIn", "Exists", "DoesNotExist");

export const expression = section("a match expression", {
  key: required(syntax.labelKey, "a label key"),
  operator: required(operators, "`In`, `NotIn`, `Exists` or `DoesNotExist`"),
  values: withDefault(
    list(syntax.labelValue, "a list of label values"),
    [],
    "label values, for `In` and `NotIn` only",
  ),
});

/** Follows Kubernetes' validation of a selector expression; the operator decides which values are allowed. */
const checkedExpression = expression.schema.superRefine(
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
  // This is checked even if something else in the expression is wrong, so that all mistakes are reported at once.
  { when: ({ value }) => typeof value === "object" && value !== null },
);

export const selector = section("a selector", {
  matchLabels: withDefault(
    z.record(syntax.labelKey, syntax.labelValue, {
      error: "a map of label keys to label values",
    }),
    {},
    "labels that a Service must have",
  ),
  matchExpressions: withDefault(
    list(checkedExpression, "a list of match expressions"),
    [],
    "a list of `{ key, operator, values }`, all of which must hold",
    { of: expression },
  ),
});

const namespaces = "a list of at least one namespace";

const deletions = `a whole number of at least 0, without quotes, or a share from "0%" to "100%"`;

function isShare(value: unknown): value is `${number}%` {
  return typeof value === "string" && /^(100|[1-9]?\d)%$/.test(value);
}

const count = wholeNumber(deletions, Number.MAX_SAFE_INTEGER, 0);
const share = z.custom<`${number}%`>(isShare, { error: deletions });

/** The engine takes these settings from a link, and the others from the link's clusters. */
type EngineSettings = Omit<
  LinkSpec,
  "source" | "target" | "targetDomain" | "privateUnlessListed" | "gateway"
>;
type OtherSettings =
  "gateway" | "mirroring" | "credentialsGeneration" | "credentialsMaxAge" | "adopt";

const settings = {
  gateway: optional(
    gatewayOrFlat,
    "the target's gateway Service",
    "overrides what the target's gateway Service says; `false`: a flat network without a gateway",
    { of: gateway },
  ),
  headless: off("per-pod mirrors for StatefulSets; needs a gateway"),
  selector: withDefault(selector.schema, engine.selector, "Services mirrored through the gateway", {
    of: selector,
  }),
  remoteDiscoverySelector: withDefault(
    selector.schema,
    engine.remoteDiscoverySelector,
    "Services mirrored for pod-to-pod traffic",
    { of: selector },
  ),
  federatedServiceSelector: withDefault(
    selector.schema,
    engine.federatedServiceSelector,
    "Services that join `<service>-federated`",
    { of: selector },
  ),
  names: withDefault(
    syntax.nameTemplate,
    engine.names,
    "the name of a mirror: `{service}` is the Service's name, or the pod's for its endpoint mirror, and `{target}` the target's (docs/guides/names.md); federated Services keep theirs; not with `mirroring: controller`",
  ),
  formerNames: choice(
    ["keep", "delete"],
    "after a change of `names` or `mirrorNamespaces`: `keep` deletes a former mirror in the first run that finds its successor in place, `delete` already in the run that creates it",
  ),
  mirrorNamespaces: withDefault(
    z.record(syntax.mappedNamespace, syntax.namespaceTemplate, {
      error: "a map from namespaces of the target to those of the mirrors",
    }),
    engine.mirrorNamespaces,
    "namespaces of the target and those of their mirrors, if these differ; `*` stands for all others and `{namespace}` for a Service's own; gateway mirrors only; not with `mirroring: controller`",
  ),
  namespaces: withDefault(
    list(syntax.namespacePattern, namespaces).min(1, { error: namespaces }),
    engine.namespaces,
    "namespaces whose Services are mirrored: names; a trailing `*` matches any suffix; not with `mirroring: controller`",
  ),
  excludedNamespaces: optional(
    list(syntax.namespacePattern, "a list of namespaces"),
    "`kube-*` and Linkerd's own",
    "namespaces whose Services are not mirrored, in the same notation; Linkerd's own are `linkerdNamespace`, `multiclusterNamespace`, `linkerd-jaeger` and `linkerd-viz`",
  ),
  excludedLabels: withDefault(
    list(syntax.excludedLabel, "a list of keys and group/* entries"),
    engine.excludedLabels,
    "label keys that are not copied to mirrors although `copiedMetadata` names them; `group/*` for a whole group",
  ),
  excludedAnnotations: withDefault(
    list(syntax.excludedAnnotation, "a list of keys and group/* entries"),
    engine.excludedAnnotations,
    "annotation keys that are not copied to mirrors although Linkerd reads them or `copiedMetadata` names them; `group/*` for a whole group",
  ),
  copiedMetadata: withDefault(
    list(syntax.copiedMetadata, "a list of keys, group/* entries and *"),
    engine.copiedMetadata,
    "keys of labels and annotations that are copied to mirrors, besides those that Linkerd reads there; `group/*` for a whole group, `*` for all but those of other controllers (docs/reference/metadata.md)",
  ),
  createNamespaces: off(
    "create a namespace that is missing in the source; otherwise its Services are skipped. With `mirroring: controller`, one link with `true` turns it on for all controllers of the source",
  ),
  readiness: choice(
    ["ignore", "follow"],
    "`follow`: as in Linkerd, a mirror whose target has no ready pods has no endpoints; `ignore`: readiness does not matter, since the next run may be hours away",
  ),
  gatewayProbe: off(
    "have `linkerd-clusters check`, `status` and the metric `gateway_alive` of `linkerd-clusters watch` probe the target's gateway from where they run; mirrors don't depend on it",
  ),
  prober: only(
    linking,
    withDefault(
      z.union([z.literal(false), syntax.image], { error: syntax.imageRule }),
      engine.prober,
      "the image of a Deployment in the source, such as that of the watch, that asks the target's gateway every few seconds; with it, `linkerd check` and `linkerd multicluster gateways` find what they look for (docs/reference/linkerd-cli.md); not with `mirroring: controller`",
    ),
  ),
  maxDeletions: withDefault(
    z.union([count, share], { error: deletions }),
    engine.maxDeletions,
    "how many mirrors one run may delete: a count, or a share of the link's mirrors, which applies once there are more than 10",
  ),
  allowDeletions: off("let this run delete more than `maxDeletions`"),
  maxMirrors: withDefault(
    wholeNumber("a whole number of at least 1, without quotes"),
    engine.maxMirrors,
    "how many mirrors, and how many members of federated Services, the link may have; further ones are reported and not created",
  ),
  mirroring: choice(
    ["pulumi", "controller"],
    "`controller`: leave mirroring to Linkerd's own controller, which `all` installs, and which has to be there with `links`",
  ),
  credentialsGeneration: only(
    linking,
    withDefault(
      wholeNumber("a whole number from 1 to 999999999", 999_999_999),
      1,
      "change it to rotate the link's token",
    ),
  ),
  credentialsMaxAge: only(
    linking,
    withDefault(
      wholeNumber("a whole number of days from 1 to 36500", 36500),
      90,
      "days after which the next run rotates the link's token; a token that no run rotates stays valid",
    ),
  ),
  unreachable: choice(
    ["keep", "fail"],
    "when a cluster can't be reached: `keep` leaves its mirrors as they are, `fail` fails the run",
  ),
  adopt: only(
    linking,
    off(
      "take over the link's objects that exist already, such as the Link and credentials of `linkerd multicluster link`, instead of refusing the cluster; for objects that another stack has marked, set `adoptFrom` too; remove `adopt` after the run (docs/guides/migrate.md)",
    ),
  ),
  adoptFrom: withDefault(
    list(syntax.stackName, "a list of stacks, each as organization/project/stack"),
    engine.adoptFrom,
    "stacks, as `organization/project/stack`, whose mirrors and members of this link become this stack's; take it out once they are",
  ),
} as const satisfies Keys<EngineSettings> & Record<OtherSettings, Key>;

/** Optional here: cross-checks.ts, which knows the clusters, reports a missing source or target by name. */
const clusterReference = z.string({ error: "the name of a configured cluster" }).exactOptional();

export const link = section("a link", {
  source: required(clusterReference, "the cluster in which mirrors appear"),
  target: required(clusterReference, "the cluster whose Services are exported"),
  revoked: off(
    "`true`: the source's account in the target is deleted first, then its credentials, Link and mirrors (docs/guides/revoke.md)",
  ),
  ...settings,
});

export const linkDefaultKeys = section("linkDefaults", settings);
