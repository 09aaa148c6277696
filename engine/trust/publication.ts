import { type Bundle, bundleText, has, isSameSet, once } from "./bundle.ts";
import { anchorsBehind, knownCertificates } from "./certificate.ts";
import type { LiveTrust } from "./live.ts";
import type { Rotation, RotationStage, TrustPlan } from "./rotate.ts";
import { listedPods } from "./proxies.ts";

/**
 * The trust that a stack of the trust root publishes, for the stacks of the clusters to apply. Plain data:
 * it is inputs and state of a resource.
 */
export interface Publication {
  readonly stage: RotationStage;
  /** Sentences for the user. */
  readonly notes: readonly string[];
  /** By cluster. */
  readonly clusters: Shares;
}

type Shares = Readonly<Record<string, Share>>;

/** The trust that one cluster is to have. */
export interface Share {
  /** PEM of the anchors that it is to trust. */
  readonly bundlePem: string;
  /** Fingerprint of the anchor that its issuer is under. */
  readonly issuer: string;
}

/** The trust that one cluster has, as far as it is this stack's. */
export type LiveShare =
  | { readonly state: "absent" }
  | { readonly state: "unreadable"; readonly why: string }
  | {
      readonly state: "present";
      /** Fingerprints of the anchors that it trusts, this stack's own alone. */
      readonly anchors: readonly string[];
      /** The one of these that its issuer is under. */
      readonly issuer?: string;
    };

export interface PublicationArgs {
  /** Fingerprints of the anchors whose issuers this stack has: the wanted one, then the one before. */
  readonly own: readonly string[];
  /** Fingerprints of all anchors that this stack knows; no other comes to a new cluster. */
  readonly known: readonly string[];
  /** The step that the live clusters allow. */
  readonly next: Publication;
  readonly live: Readonly<Record<string, LiveShare>>;
}

/** The arguments of `publish` for a step, as plain data. */
export function publicationArgs(
  { stage, notes, clusters }: TrustPlan,
  {
    wanted,
    previous = wanted,
    adopted = [],
    live,
  }: Pick<Rotation, "wanted" | "previous" | "adopted" | "live">,
): PublicationArgs {
  const own = once([wanted, previous]);
  const shares = [...clusters].map(([cluster, { bundle, issuer }]) => {
    const { fingerprint } = issuer === "wanted" ? wanted : previous;
    return [cluster, { bundlePem: bundleText(bundle), issuer: fingerprint }] as const;
  });
  const has = [...live].map(([cluster, trust]) => [cluster, liveShare(trust, own)] as const);
  return {
    own: own.map(({ fingerprint }) => fingerprint),
    known: once([...own, ...adopted]).map(({ fingerprint }) => fingerprint),
    next: { stage, notes, clusters: Object.fromEntries(shares) },
    live: Object.fromEntries(has),
  };
}

function liveShare(trust: LiveTrust, own: Bundle): LiveShare {
  if (trust.state !== "present") return trust;
  const { bundle, issuer } = trust;
  const signer = own.find((anchor) => anchorsBehind(issuer, [anchor]).length > 0);
  return {
    state: "present",
    anchors: bundle.filter((anchor) => has(own, anchor)).map(({ fingerprint }) => fingerprint),
    ...(signer !== undefined && { issuer: signer.fingerprint }),
  };
}

/**
 * A step is published once every cluster has what was published before it. Each cluster's stack takes
 * over what it finds when it runs, and nobody knows when that is: were a step taken back or passed over
 * meanwhile, one of them could still apply it, and undo what the next one relies on.
 *
 * A cluster without Linkerd has no traffic to break, and holds up nobody. Should its first run take so
 * long that it applies what is two steps old, the next run of this stack goes back for it.
 *
 * @param before what the last run has published, by cluster
 * @returns what to publish; or why nothing can be
 */
export function publish(
  before: Shares,
  args: PublicationArgs,
): Publication | { readonly refused: string } {
  const { next, live, own } = args;
  const known = Object.entries(before).filter(([name]) => Object.hasOwn(next.clusters, name));
  const behind = known.filter(([name, share]) => !hasIt(live[name], share, args));
  const isChanged = known.some(([name, share]) => !isSame(share, next.clusters[name]));
  if (behind.length === 0 || !isChanged) return { ...next, clusters: settled(before, next) };

  const lost = known.flatMap(([name, { issuer }]) => (own.includes(issuer) ? [] : [name]));
  if (lost.length > 0) {
    const names = listedPods(behind.map(([name]) => name));
    return {
      refused: `What the last run has published has not come to every cluster yet (${names}), and this generation knows nothing of it: set linkerd-multicluster:trust.generation back to what it was, run the stacks of these clusters, and only then change it.`,
    };
  }
  const held = Object.fromEntries(
    known.map(([name, share]) => [
      name,
      // A cluster without Linkerd is new, although one of this name had it before.
      live[name]?.state === "absent" ? { ...share, bundlePem: knownOf([share], args) } : share,
    ]),
  );
  const fresh = Object.entries(next.clusters)
    .filter(([name]) => !Object.hasOwn(held, name))
    .map(([name, share]) => [name, amongHeld(share, Object.values(held), args)] as const);
  const late = behind.map(([name]) => {
    const now = live[name];
    return now?.state === "unreadable" ? `${name} (${now.why})` : name;
  });
  const note = `Nothing new is published until every cluster has what was published last. Run the stacks of these, then this one again: ${listedPods(late)}.`;
  const clusters = { ...held, ...Object.fromEntries(fresh) };
  return { stage: "waiting", notes: [note], clusters };
}

/** Whether a cluster has what was published for it, whatever else it trusts. */
function hasIt(
  live: LiveShare | undefined,
  { bundlePem, issuer }: Share,
  { own }: PublicationArgs,
): boolean {
  if (live === undefined || live.state === "absent") return true;
  if (live.state === "unreadable") return false;
  const published = fingerprints(bundlePem).filter((anchor) => own.includes(anchor));
  return (
    live.issuer === issuer &&
    published.length === live.anchors.length &&
    published.every((anchor) => live.anchors.includes(anchor))
  );
}

function isSame(one: Share, other: Share | undefined): boolean {
  return (
    other !== undefined &&
    one.issuer === other.issuer &&
    isSameSet(knownCertificates(one.bundlePem), knownCertificates(other.bundlePem))
  );
}

/** The text of before where it says the same: another order of anchors would restart pods. */
function settled(before: Shares, { clusters }: Publication): Shares {
  const each = Object.entries(clusters).map(([name, share]) => {
    const earlier = before[name];
    return [name, earlier !== undefined && isSame(earlier, share) ? earlier : share] as const;
  });
  return Object.fromEntries(each);
}

/** A new cluster while the others are held: it trusts what they do, and issues what they trust. */
function amongHeld(share: Share, held: readonly Share[], args: PublicationArgs): Share {
  const [, previous] = args.own;
  return {
    bundlePem: knownOf([share, ...held], args),
    issuer: held.find(({ issuer }) => issuer === previous)?.issuer ?? share.issuer,
  };
}

/** PEM of what they trust, without what somebody has added to one of the clusters. */
function knownOf(shares: readonly Share[], { known }: PublicationArgs): string {
  const anchors = once(shares.flatMap(({ bundlePem }) => knownCertificates(bundlePem)));
  return bundleText(anchors.filter(({ fingerprint }) => known.includes(fingerprint)));
}

function fingerprints(pem: string): string[] {
  return knownCertificates(pem).map(({ fingerprint }) => fingerprint);
}
