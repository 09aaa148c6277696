import * as z from "zod";
import {
  choice,
  type Keys,
  list,
  off,
  only,
  optional,
  required,
  section,
  wholeNumber,
  withDefault,
} from "./schema.ts";
import * as syntax from "./syntax.ts";

const days = wholeNumber("a whole number of days from 1 to 36500", 36500);

export const generatedTrust = {
  generation: withDefault(
    wholeNumber("a positive whole number"),
    1,
    "increment to rotate the trust anchor, step by step over the next runs",
  ),
  anchorValidityDays: withDefault(days, 3650, "how many days a new trust anchor is valid"),
  issuerValidityDays: withDefault(days, 365, "how many days a new issuer is valid"),
  renewBeforeDays: withDefault(
    days,
    60,
    "an issuer is renewed this many days before it expires; less than `issuerValidityDays`",
  ),
  unknownAnchors: choice(
    ["keep", "remove"],
    "trust anchors in a cluster's bundle that are not this stack's: `keep` leaves and reports them, `remove` removes them once that breaks nothing",
  ),
} satisfies Keys;

export const issuer = section("an issuer", {
  certificate: required(syntax.pem("a certificate"), "PEM of the issuer's certificate"),
  key: required(
    syntax.pem("a private key"),
    "PEM of its private key, which must be a secret of the stack config",
  ),
});

export const trust = section("trust", {
  external: off(
    "`true`: cert-manager and trust-manager, or others, provide issuers and trust bundles on the clusters (docs/guides/trust.md)",
  ),
  stack: optional(
    syntax.stackName,
    "this stack",
    "a stack with `manage: trust`, as `<organization>/<project>/<stack>`, from which this one takes anchors and issuers (docs/guides/fleet.md)",
  ),
  ...generatedTrust,
  extraAnchors: optional(
    syntax.pem("trust anchors"),
    "none",
    "PEM of up to 48 trust anchors that every cluster trusts in addition to the generated one, such as those of another mesh",
  ),
  ignorePods: withDefault(
    list(syntax.podsOfCluster, "a list of pods"),
    [],
    "pods that a rotation does not wait for: `<cluster>/<namespace>/<pod>`, `<cluster>/<namespace>` or `<cluster>`; meshed ones lose connections",
  ),
  restart: only(
    ["all"],
    off(
      "`true`: runs restart the workloads whose proxies need new anchors or certificates (docs/guides/rotate.md), with [these rights](access.md#manage-all)",
    ),
  ),
  anchors: optional(
    syntax.pem("trust anchors"),
    "generated",
    "PEM of your own trust anchors, whose private keys stay with you; needs `issuers`",
  ),
  issuers: optional(
    z.record(z.string(), issuer.schema, { error: "a map of issuers by cluster" }),
    "generated",
    "your own issuers: a map from every cluster to its `certificate` and `key`, both PEM; set the key with `pulumi config set --secret --path 'linkerd-multicluster:trust.issuers.<cluster>.key'`",
    { of: issuer },
  ),
});
