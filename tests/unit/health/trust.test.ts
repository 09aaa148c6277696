import { generateKeyPairSync } from "node:crypto";
import { called } from "../../../engine/trust/certificate.ts";
import { anchorsValid, issuerValid } from "../../../engine/health/checks/certificates.ts";
import {
  anchorsShared,
  domainsShared,
  issuersTrusted,
} from "../../../engine/health/checks/trust.ts";
import { type Authority, authority, inDays, issuerUnder } from "../trust/certificates.ts";
import {
  clusterView,
  east,
  issuers,
  linkView,
  mesh,
  reading,
  root,
  tells,
  trusting,
  west,
  unread,
} from "./views.ts";

const until = (days: number) => ({ notAfter: inDays(days) });
const name = ({ certificate }: Authority): string => called(certificate);

const old = authority({ name: "old", ...until(-1) });
const ending = authority({ name: "ending", notBefore: inDays(-300), ...until(20.5) });
const early = authority({ name: "early", notBefore: inDays(1) });
const stranger = authority({ name: "stranger" });

const withTrust = (trust: Parameters<typeof reading>[1]) =>
  clusterView({ reading: reading(east, trust) });

describe("health of a cluster: its trust anchors", () => {
  const of = (...anchors: Authority[]) => withTrust(trusting(anchors, issuers.east));
  const remedy = "Add a new one to the trust bundle: see linkerd-multicluster:trust.";
  const expired = `The trust anchor of cluster east, ${name(old)}, expired on 2026-08-20T12:00:00.000Z. ${remedy}`;

  tells("are in order", anchorsValid, of(root, stranger));
  tells("are an error once they have ended", anchorsValid, of(old), [`error: ${expired}`]);
  tells("are a warning where another one holds", anchorsValid, of(root, old), [
    `warning: ${expired}`,
  ]);
  tells("are a warning before", anchorsValid, of(ending), [
    `warning: The trust anchor of cluster east, ${name(ending)}, expires in 20 days, on 2026-09-11T00:00:00.000Z. ${remedy}`,
  ]);
  tells("are an error while they are not valid yet", anchorsValid, of(early), [
    `error: the trust anchor of cluster east, ${name(early)}, is not valid before 2026-08-22T12:00:00.000Z: check the clocks`,
  ]);
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const odd = authority({ name: "odd", key });
  tells("must be what Linkerd takes", anchorsValid, of(odd), [
    `error: the trust anchor of cluster east, ${name(odd)}, must be a CA with an ECDSA P-256 key, or an RSA key of 2048 or 4096 bits, or Linkerd refuses it`,
  ]);
  const none = withTrust({ anchors: { value: undefined } });
  tells("are an error where there are none", anchorsValid, none, [
    "error: ConfigMap east/linkerd/linkerd-identity-trust-roots does not exist or has no ca-bundle.crt, so Linkerd is not installed there: install it, or set manage: all",
  ]);
  const broken = withTrust({ anchors: unread("not a certificate") });
  tells("are an error where they are none", anchorsValid, broken, ["error: not a certificate"]);
});

describe("health of a cluster: its issuer", () => {
  const of = (issuer: Authority) => withTrust(trusting([root], issuer));
  const ended = issuerUnder(root, until(-2));
  tells("is an error once it has ended", issuerValid, of(ended), [
    `error: The issuer of cluster east, ${name(ended)}, expired on 2026-08-19T12:00:00.000Z. Renew it: see linkerd-multicluster:trust.`,
  ]);
  const soon = issuerUnder(root, until(1.5));
  const others = { ...of(soon), mesh: mesh({ manage: "links" }) };
  tells("is a warning before, with a remedy that fits", issuerValid, others, [
    `warning: The issuer of cluster east, ${name(soon)}, expires in 1 day, on 2026-08-23T00:00:00.000Z. Renew it: this stack does not manage Linkerd there.`,
  ]);
  const leaf = issuerUnder(root, { isCa: false });
  tells("must be a CA", issuerValid, of(leaf), [
    `error: the issuer of cluster east, ${name(leaf)}, must be a CA that may sign certificates, or Linkerd refuses it`,
  ]);
  tells("is an error where there is none", issuerValid, withTrust({ issuer: { value: [] } }), [
    "error: Secret east/linkerd/linkerd-identity-issuer does not exist or has no certificate, so Linkerd can't issue certificates to workloads there: run pulumi up --refresh, or check what is meant to issue it",
  ]);
  tells("is an error where it can't be read", issuerValid, withTrust({ issuer: unread("no") }), [
    "error: no",
  ]);
  const none = withTrust({ anchors: { value: undefined } });
  tells("is skipped without Linkerd", issuerValid, none, [
    "skipped: Linkerd is not installed in cluster east",
  ]);
});

describe("health of a link: trust", () => {
  const between = (ours: readonly Authority[], theirs: readonly Authority[], issuer: Authority) =>
    linkView({
      source: reading(east, trusting(ours, issuers.east)),
      target: reading(west, trusting(theirs, issuer)),
    });
  const disjoint = (ours: string, theirs: string) => [
    `error: clusters east and west have no valid trust anchor in common (east trusts ${ours}; west trusts ${theirs}), so their proxies reject each other: add the anchors of each to the trust bundle of the other`,
  ];

  const theirs = issuerUnder(stranger);
  const apart = between([root], [stranger], theirs);
  const noAnchor = disjoint(name(root), name(stranger));
  tells("needs an anchor in common", anchorsShared, apart, noAnchor);
  const ended = between([old], [old], issuerUnder(old));
  tells("that has not ended", anchorsShared, ended, disjoint("none", "none"));
  const rotating = between([root, stranger], [root, ending], issuers.west);
  tells("is well while it rotates, but not what Linkerd's check wants", anchorsShared, rotating, [
    `warning: only cluster east trusts ${name(stranger)}, and only cluster west trusts ${name(ending)}: fine during a rotation, but linkerd multicluster check expects the same anchors on both`,
  ]);

  const untrusted = (of: string, by: string, issuer: Authority, anchor: Authority) =>
    `error: the issuer of cluster ${of}, ${name(issuer)}, is not signed by any valid anchor that cluster ${by} trusts (${name(anchor)}), so proxies in ${by} reject those of ${of}: add its anchor to the trust bundle of ${by}, or give ${of} an issuer signed by one of these`;
  tells("needs each to be under an anchor of the other side", issuersTrusted, apart, [
    untrusted("east", "west", issuers.east, stranger),
    untrusted("west", "east", theirs, root),
  ]);
  for (const issuer of [unread("forbidden"), { value: [] }])
    tells(
      "is skipped without issuers",
      issuersTrusted,
      linkView({ source: reading(east, { issuer }) }),
      ["skipped: the issuer of cluster east can't be read"],
    );

  const withDomains = (domains: NonNullable<Parameters<typeof reading>[1]>["domains"]) =>
    linkView({ source: reading(east, { ...(domains !== undefined && { domains }) }) });
  const domains = { value: { clusterDomain: "cluster.local", trustDomain: "east.example" } };
  tells("of two is told for the sake of policies", domainsShared, withDomains(domains), [
    "warning: clusters east and west have different trust domains, east.example and trust.example: their proxies accept each other, but an authorization policy in west that names a ServiceAccount or a namespace does not match clients in east, so name these by their whole identities, which end in east.example (identities of a MeshTLSAuthentication)",
  ]);
  const unknown = (cluster: string) => [
    `skipped: the trust domain of cluster ${cluster} can't be read`,
  ];
  tells("is skipped where it is unread", domainsShared, withDomains(unread("no")), unknown("east"));
  tells("or not told", domainsShared, withDomains({ value: undefined }), unknown("east"));
});
