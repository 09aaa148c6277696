import { generateKeyPairSync } from "node:crypto";
import { called } from "../../../engine/trust/certificate.ts";
import {
  anchorsShared,
  anchorsValid,
  domainsShared,
  issuersTrusted,
  issuerValid,
  proxiesCurrent,
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
  tellsOf,
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

describe("health of a cluster: its proxies", () => {
  const tells = tellsOf(proxiesCurrent);
  const behind = (...value: string[]) => withTrust({ podsBehind: { value } });

  tells("pass if all trust the whole bundle", behind());
  tells("are named if they lack an anchor", behind("shop/web-1", "shop/web-2"), [
    "warning: the proxies of 2 pods in cluster east lack a trust anchor of its bundle: restart their workloads (shop/web-1, shop/web-2), or let runs do it (linkerd-multicluster:trust.restart)",
  ]);
});

describe("health of a cluster: its trust anchors", () => {
  const tells = tellsOf(anchorsValid);
  const of = (...anchors: Authority[]) => withTrust(trusting(anchors, issuers.east));
  const remedy = "Add a new one to the trust bundle: see linkerd-multicluster:trust.";
  const expired = `The trust anchor of cluster east, ${name(old)}, expired on 2026-08-20T12:00:00.000Z. ${remedy}`;

  tells("pass while they are valid", of(root, stranger));
  tells("fail if the only one has expired", of(old), [`error: ${expired}`]);
  tells("warn of an expired one beside a valid one", of(root, old), [`warning: ${expired}`]);
  tells("warn of one that expires soon", of(ending), [
    `warning: The trust anchor of cluster east, ${name(ending)}, expires in 20 days, on 2026-09-11T00:00:00.000Z. ${remedy}`,
  ]);
  tells("fail before they are valid", of(early), [
    `error: the trust anchor of cluster east, ${name(early)}, is not valid before 2026-08-22T12:00:00.000Z: check the clocks`,
  ]);
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const odd = authority({ name: "odd", key });
  tells("fail with a key that Linkerd refuses", of(odd), [
    `error: the trust anchor of cluster east, ${name(odd)}, must be a CA with an ECDSA P-256 key, or an RSA key of 2048 or 4096 bits, or Linkerd refuses it`,
  ]);
  const none = withTrust({ anchors: { value: undefined } });
  tells("fail if the cluster has none", none, [
    "error: ConfigMap east/linkerd/linkerd-identity-trust-roots does not exist or has no ca-bundle.crt, so Linkerd is not installed there: run pulumi up, which installs it (manage: all, the default)",
  ]);
  const broken = withTrust({ anchors: unread("not a certificate") });
  tells("fail if they are no certificates", broken, ["error: not a certificate"]);
});

describe("health of a cluster: its issuer", () => {
  const tells = tellsOf(issuerValid);
  const of = (issuer: Authority) => withTrust(trusting([root], issuer));
  const ended = issuerUnder(root, until(-2));
  tells("fails once it has expired", of(ended), [
    `error: The issuer of cluster east, ${name(ended)}, expired on 2026-08-19T12:00:00.000Z. Renew it: see linkerd-multicluster:trust.`,
  ]);
  const soon = issuerUnder(root, until(1.5));
  const others = { ...of(soon), mesh: mesh({ manage: "links" }) };
  tells("warns before it expires, with a remedy for manage: links", others, [
    `warning: The issuer of cluster east, ${name(soon)}, expires in 1 day, on 2026-08-23T00:00:00.000Z. Renew it: this stack does not manage Linkerd there.`,
  ]);
  const leaf = issuerUnder(root, { isCa: false });
  tells("fails if it is no CA", of(leaf), [
    `error: the issuer of cluster east, ${name(leaf)}, must be a CA that may sign certificates, or Linkerd refuses it`,
  ]);
  tells("fails if the cluster has none", withTrust({ issuer: { value: [] } }), [
    "error: Secret east/linkerd/linkerd-identity-issuer does not exist or has no certificate, so Linkerd can't issue certificates to workloads there: check what is meant to issue it. Fix: pulumi up --refresh",
  ]);
  tells("fails if it can't be read", withTrust({ issuer: unread("no") }), ["error: no"]);
  const none = withTrust({ anchors: { value: undefined } });
  tells("is skipped without Linkerd", none, ["skipped: Linkerd is not installed in cluster east"]);
});

const between = (ours: readonly Authority[], theirs: readonly Authority[], issuer: Authority) =>
  linkView({
    source: reading(east, trusting(ours, issuers.east)),
    target: reading(west, trusting(theirs, issuer)),
  });
const theirs = issuerUnder(stranger);
const apart = between([root], [stranger], theirs);

describe("health of a link: the trust anchors of both clusters", () => {
  const tells = tellsOf(anchorsShared);
  const disjoint = (ours: string, theirs: string) => [
    `error: clusters east and west have no valid trust anchor in common (east trusts ${ours}; west trusts ${theirs}), so their proxies reject each other: add the anchors of each to the trust bundle of the other`,
  ];
  tells("fail if they have none in common", apart, disjoint(name(root), name(stranger)));
  const ended = between([old], [old], issuerUnder(old));
  tells("fail if the one in common has expired", ended, disjoint("none", "none"));
  const rotating = between([root, stranger], [root, ending], issuers.west);
  tells("warn during a rotation that they differ", rotating, [
    `warning: only cluster east trusts ${name(stranger)}, and only cluster west trusts ${name(ending)}: fine during a rotation, but linkerd multicluster check expects the same anchors on both`,
  ]);
});

describe("health of a link: the issuers of both clusters", () => {
  const tells = tellsOf(issuersTrusted);
  const untrusted = (of: string, by: string, issuer: Authority, anchor: Authority) =>
    `error: the issuer of cluster ${of}, ${name(issuer)}, is not signed by any valid anchor that cluster ${by} trusts (${name(anchor)}), so proxies in ${by} reject those of ${of}: add its anchor to the trust bundle of ${by}, or give ${of} an issuer signed by one of these`;
  tells("fail if no anchor of the other cluster signed them", apart, [
    untrusted("east", "west", issuers.east, stranger),
    untrusted("west", "east", theirs, root),
  ]);
  const unissued = linkView({ source: reading(east, { issuer: { value: [] } }) });
  tells("are skipped if a cluster has none", unissued, [
    "skipped: the issuer of cluster east can't be read",
  ]);
});

describe("health of a link: the trust domains of both clusters", () => {
  const tells = tellsOf(domainsShared);
  const withDomains = (domains: { clusterDomain: string; trustDomain: string } | undefined) =>
    linkView({ source: reading(east, { config: { value: { domains, version: undefined } } }) });
  const other = withDomains({ clusterDomain: "cluster.local", trustDomain: "east.example" });
  tells("warn if they differ, because policies name one", other, [
    "warning: clusters east and west have different trust domains, east.example and trust.example: their proxies accept each other, but an authorization policy in west that names a ServiceAccount or a namespace does not match clients in east, so name these by their whole identities, which end in east.example (identities of a MeshTLSAuthentication)",
  ]);
  tells("are skipped if one is unknown", withDomains(undefined), [
    "skipped: the trust domain of cluster east can't be read",
  ]);
});
