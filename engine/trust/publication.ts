import { isDeepStrictEqual } from "node:util";
import { listed } from "../base/message.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { invalid, type Result, valueIn } from "../base/result.ts";
import { type Bundle, bundleText, has, isSameSet, unique } from "./bundle.ts";
import {
  anchorsBehind,
  type Certificate,
  certificatesIn,
  knownCertificates,
} from "./certificate.ts";
import type { LiveTrust } from "./live.ts";
import type { RotationPlan } from "./rotate.ts";
import type { Rotation } from "./rotation.ts";
import { type Share, type Shares, type Step, stepOf } from "./step.ts";

/** Without a value, Linkerd doesn't run there. */
export type LiveShare = Result<PresentShare | undefined>;

interface PresentShare {
  /** The fingerprints of this stack's anchors that the cluster trusts. */
  readonly anchors: readonly string[];
  /** Absent if this stack has no anchor that signed the issuer. */
  readonly issuer?: string;
}

export interface PublicationArgs {
  /** The fingerprints of the wanted and the previous anchor. */
  readonly own: readonly string[];
  /** The fingerprints of all anchors that this stack knows. A new cluster gets no other. */
  readonly known: readonly string[];
  readonly next: Step;
  readonly live: Readonly<Record<string, LiveShare>>;
}

/** `check` returns them, and they become the state. They hold certificates and no key. */
export interface PublicationInputs extends PublicationArgs {
  readonly publication?: Step;
}

export function publicationArgs(
  plan: RotationPlan,
  rotation: Pick<Rotation, "wanted" | "previous" | "adopted">,
): PublicationArgs {
  const { wanted, previous = wanted, adopted = [] } = rotation;
  const own = unique([wanted, previous]);
  const live = [...plan.live].map(([cluster, trust]) => [cluster, liveShare(trust, own)] as const);
  return {
    own: fingerprints(own),
    known: fingerprints(unique([...own, ...adopted])),
    next: stepOf(plan, rotation),
    live: Object.fromEntries(live),
  };
}

function liveShare(trust: LiveTrust, own: Bundle): LiveShare {
  if ("why" in trust) return trust;
  if (trust.value === undefined) return { value: undefined };
  const { bundle, issuer } = trust.value;
  const signer = own.find((anchor) => anchorsBehind(issuer, [anchor]).length > 0);
  const anchors = fingerprints(bundle.filter((anchor) => has(own, anchor)));
  return { value: { anchors, ...omitUndefined({ issuer: signer?.fingerprint }) } };
}

/**
 * Publishes a step once every cluster has the previous one. Nobody knows when a cluster's stack runs and applies what
 * it finds: if a step were withdrawn or skipped, a stack could still apply it and undo what the next step relies on.
 *
 * A cluster without Linkerd counts as new, whatever was published for its name: it has no traffic to break and delays
 * nobody. If its first run applies a step that is two steps old, the next run of this stack corrects that.
 *
 * @param published by the last run, by cluster
 */
export function publish(
  published: Shares,
  { own, known, next, live }: PublicationArgs,
): Result<Step> {
  // An earlier version published bundles that this one can't read.
  const before = Object.fromEntries(
    Object.entries(published).filter(([, { bundlePem }]) => "value" in certificatesIn(bundlePem)),
  );
  const running = Object.entries(before).filter(([name]) => mayRun(live[name]));
  const planned = new Map(
    Object.entries(next.clusters).map(([name, share]) => [name, unchangedOr(before[name], share)]),
  );
  const behind = running.filter(([name, share]) => !isPublished(live[name], share, own));
  const isChanged = running.some(([name, share]) => planned.get(name) !== share);
  if (behind.length === 0 || !isChanged)
    return { value: { ...next, clusters: Object.fromEntries(planned) } };

  if (running.some(([, { issuer }]) => !own.includes(issuer))) {
    const names = listed(behind.map(([name]) => name));
    return invalid(
      `These clusters don't have what the last run published (${names}), and the new trust.generation can't continue from there: set linkerd-multicluster:trust.generation back to its previous value, run the stacks of these clusters, and only then change it.`,
    );
  }
  const held = running.map(([, share]) => share);
  const beside = [...planned].map(
    ([name, share]) => [name, knownTrust(share, held, { own, known })] as const,
  );
  const late = behind.map(([name]) => {
    const now = live[name];
    return now !== undefined && "why" in now ? `${name} (${now.why})` : name;
  });
  const note = `Nothing new is published until every cluster has what was published last. Run the stacks of these, then this one again: ${listed(late)}.`;
  const clusters = { ...Object.fromEntries(beside), ...Object.fromEntries(running) };
  return { value: { stage: "waiting", notes: [note], clusters } };
}

function mayRun(live: LiveShare | undefined): boolean {
  return live !== undefined && ("why" in live || live.value !== undefined);
}

/** Keeps a text with the same meaning, because another order of anchors would restart pods. */
function unchangedOr(before: Share | undefined, share: Share): Share {
  const isSame = before?.issuer === share.issuer && isSameSet(anchorsOf(before), anchorsOf(share));
  return isSame ? before : share;
}

/** A cluster may trust more than was published for it. */
function isPublished(live: LiveShare | undefined, share: Share, own: readonly string[]): boolean {
  const present = valueIn(live);
  if (present === undefined || present.issuer !== share.issuer) return false;
  const published = fingerprints(anchorsOf(share)).filter((anchor) => own.includes(anchor));
  return isDeepStrictEqual(new Set(present.anchors), new Set(published));
}

/**
 * While the others are held, a new cluster trusts what they do, without anchors that somebody has added, and gets an
 * issuer that they trust.
 */
function knownTrust(
  share: Share,
  held: readonly Share[],
  { own: [, previous], known }: Pick<PublicationArgs, "own" | "known">,
): Share {
  const anchors = unique([share, ...held].flatMap(anchorsOf));
  return {
    bundlePem: bundleText(anchors.filter(({ fingerprint }) => known.includes(fingerprint))),
    issuer: held.find(({ issuer }) => issuer === previous)?.issuer ?? share.issuer,
  };
}

function anchorsOf({ bundlePem }: Share): Bundle {
  return knownCertificates(bundlePem);
}

function fingerprints(certificates: readonly Certificate[]): string[] {
  return certificates.map(({ fingerprint }) => fingerprint);
}
