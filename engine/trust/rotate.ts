import { type Bundle, has, inLiveOrder, once, union, without } from "./bundle.ts";
import { anchorsBehind, type Certificate } from "./certificate.ts";
import {
  type LiveTrust,
  type LiveTrusts,
  type PresentTrust,
  presentIn,
  unreadableIn,
} from "./live.ts";
import {
  dayLong,
  renewedBy,
  restartFrom,
  trustingNone,
  unreadProxies,
  withOldCertificate,
} from "./proxies.ts";
import { texts, type UnknownAnchor } from "./rotation-texts.ts";

/**
 * The trust that one cluster gets in this run. One that runs and can't be read gets none of it: it may trust
 * anchors that nobody knows of (Cluster in components/cluster.ts).
 */
export interface ClusterPlan {
  readonly bundle: Bundle;
  /** The issuer: the wanted one, or that of the generation before. */
  readonly issuer: "wanted" | "previous";
}

/**
 * How far the clusters are from the wanted trust, and so what this run does.
 *
 * - `settled`: they have it, or nothing runs yet that could break.
 * - `bundle`: every cluster gets the new anchor in addition to those it trusts.
 * - `reissue`: every cluster gets an issuer signed by the new anchor.
 * - `drop`: the old anchor is removed from every cluster.
 * - `waiting`: the next of these would break traffic now, so everything stays.
 */
export type RotationStage = "settled" | "bundle" | "reissue" | "drop" | "waiting";

export interface TrustPlan {
  readonly stage: RotationStage;
  readonly clusters: ReadonlyMap<string, ClusterPlan>;
  /** Sentences for the person at the terminal: what this run does, and what remains to be done. */
  readonly notes: readonly string[];
}

/** A plan, or every reason why there is none: the run must not go on. */
export type TrustDecision = TrustPlan | { readonly refused: readonly string[] };

export interface Rotation {
  /** The anchor that is to be the only one in the end. */
  readonly wanted: Certificate;
  /** The anchor of the generation before, whose issuers this stack still has; none in the first. */
  readonly previous?: Certificate | undefined;
  /** Anchors that the config has every cluster trust besides. */
  readonly adopted?: Bundle;
  /**
   * The treatment of live anchors that are none of these: one that somebody has put into the bundle of
   * one cluster must not come to be trusted by the others, so they stay where they are, or go.
   */
  readonly unknown?: "keep" | "remove";
  readonly live: LiveTrusts;
  readonly now: Date;
  /** Milliseconds that a workload's certificate lives; Linkerd's default is 24 hours. */
  readonly certificateLifetime?: number;
  /** Who gives the clusters what is planned; "this run". */
  readonly by?: string;
}

type Which = ClusterPlan["issuer"];

/**
 * The one step that can be taken now, decided by what is live and nothing else, so that the next run
 * continues where one stopped half-way (linkerd-behaviour.md 9.4).
 *
 * The invariant behind every branch: whoever presents a certificate is under an anchor that every
 * running proxy of every cluster trusts. So an issuer moves to the new anchor only when no proxy is
 * left without it, and an old anchor goes only when no certificate under it can be in use.
 */
export function rotate(rotation: Rotation): TrustDecision {
  const { wanted, live, now, certificateLifetime = dayLong, by = "this run" } = rotation;
  const refused = [...unknownIssuers(rotation), ...progressUnknown(rotation)];
  if (refused.length > 0) return { refused };

  const present = presentIn(live);
  const signers = new Map(present.map(([name, { issuer }]) => [name, signerOf(issuer, rotation)]));
  const moved = [...signers.values()].filter((signer) => signer === "wanted").length;
  const anchors = anchorsOf(rotation, present);
  const { lasting, shared, leaving } = anchors;
  const unknownNotes = unknownAnchors(rotation, present).map(texts.unknownAnchor);
  const asIs = (name: string): Which => signers.get(name) ?? typicalOf(rotation, moved);
  const plan = (
    stage: RotationStage,
    bundle: "shared" | "lasting" | "live",
    issuer: "live" | "wanted",
    note?: string,
  ) => ({
    stage,
    clusters: new Map(
      [...live].map(([name, trust]): [string, ClusterPlan] => [
        name,
        {
          bundle: bundleFor(trust, bundle, anchors),
          issuer: issuer === "wanted" ? issuer : asIs(name),
        },
      ]),
    ),
    notes: note === undefined ? unknownNotes : [note, ...unknownNotes],
  });

  const endangered = unfinished(rotation, present);
  if (endangered.length > 0) return { refused: endangered };
  if (leaving.length === 0 && moved === present.length && agree(rotation, lasting))
    return plan("settled", "lasting", "wanted");
  const unreadable = unreadableIn(live);
  if (unreadable.length > 0)
    return plan("waiting", "live", "live", texts.unreadable(wanted, unreadable));
  if (!agree(rotation, moved < present.length ? shared : lasting))
    return plan("bundle", "shared", "live", texts.bundle(without(lasting, commonIn(present)), by));

  const unknown = unreadProxies(present);
  if (unknown.length > 0) return plan("waiting", "live", "live", texts.unread(unknown));
  const distrusting = trustingNone(present, [wanted], now);
  if (distrusting.length > 0)
    return plan("waiting", "live", "live", texts.distrusting(wanted, distrusting));
  if (moved < present.length) return plan("reissue", "live", "wanted", texts.reissue(wanted, by));

  const late = withOldCertificate(present, now, certificateLifetime);
  if (late.length > 0)
    return plan(
      "waiting",
      "live",
      "live",
      texts.late(leaving, late, {
        from: restartFrom(present, now),
        renewed: renewedBy(present, certificateLifetime),
      }),
    );
  return plan("drop", "lasting", "wanted", texts.drop(leaving, by));
}

type Present = readonly (readonly [string, PresentTrust])[];

interface Anchors {
  /** The anchors that every cluster trusts in the end. */
  readonly lasting: Bundle;
  /** The same, and what this stack still has of the generation before, as far as it is in use. */
  readonly shared: Bundle;
  /** The anchors that are to go from the clusters that trust them. */
  readonly leaving: Bundle;
  /** The anchors that stay in a cluster that trusts them, and come to no other; by step. */
  readonly kept: Readonly<Record<"shared" | "lasting", (bundle: Bundle) => Bundle>>;
}

function anchorsOf(rotation: Rotation, present: Present): Anchors {
  const { wanted, previous, adopted = [], unknown = "keep" } = rotation;
  const live = once(present.flatMap(([, { bundle }]) => bundle));
  const lasting = once([wanted, ...adopted]);
  const inUse = previous !== undefined && has(live, previous) ? [previous] : [];
  const shared = once([...lasting, ...inUse]);
  const strange = (bundle: Bundle): Bundle => without(bundle, knownTo(rotation));
  return {
    lasting,
    shared,
    leaving: without(live, unknown === "keep" ? [...lasting, ...strange(live)] : lasting),
    kept: { shared: strange, lasting: unknown === "keep" ? strange : () => [] },
  };
}

function knownTo({ wanted, previous, adopted = [] }: Rotation): Bundle {
  return [wanted, ...(previous === undefined ? [] : [previous]), ...adopted];
}

/** Anchors that are none of the stack's, and the clusters that trust them. */
function unknownAnchors(rotation: Rotation, present: Present): UnknownAnchor[] {
  const live = once(present.flatMap(([, { bundle }]) => bundle));
  return without(live, knownTo(rotation)).map((anchor) => ({
    anchor,
    clusters: present.flatMap(([name, { bundle }]) => (has(bundle, anchor) ? [name] : [])),
    goes: rotation.unknown === "remove",
  }));
}

/** The anchors that all of them trust. */
function commonIn(present: Present): Bundle {
  const [first, ...others] = present.map(([, { bundle }]) => bundle);
  return (first ?? []).filter((anchor) => others.every((bundle) => has(bundle, anchor)));
}

/**
 * An anchor that is none of the stack's may be that of a generation whose rotation was never
 * finished, with certificates under it still in use. A new cluster would refuse these.
 */
function unfinished(rotation: Rotation, present: Present): string[] {
  const { live, now, certificateLifetime = dayLong } = rotation;
  const late = [
    ...unreadProxies(present),
    ...withOldCertificate(present, now, certificateLifetime),
  ];
  // One that can't be read may be new, or hold such certificates, but not both.
  const fresh = [...live].flatMap(([name, { state }]) => (state === "present" ? [] : [name]));
  const others = fresh.length > 1 ? unreadableIn(live) : [];
  if (fresh.length === 0 || late.length + others.length === 0) return [];
  const until = renewedBy(present, certificateLifetime);
  return unknownAnchors(rotation, present).map((anchor) =>
    texts.unfinished(anchor, { fresh, late: [...others, ...late], until }),
  );
}

/** A cluster's bundle, in the order in which it is live where it is the same: another would restart pods. */
function bundleFor(
  trust: LiveTrust,
  which: "shared" | "lasting" | "live",
  anchors: Anchors,
): Bundle {
  const own = trust.state === "present" ? trust.bundle : undefined;
  if (which === "live") return own ?? anchors.shared;
  return inLiveOrder(union(anchors[which], anchors.kept[which](own ?? [])), own);
}

function agree({ live }: Rotation, anchors: Bundle): boolean {
  return presentIn(live).every(([, { bundle }]) => anchors.every((anchor) => has(bundle, anchor)));
}

function signerOf(issuer: readonly Certificate[], rotation: Rotation): Which {
  const { wanted, previous } = rotation;
  return previous === undefined || anchorsBehind(issuer, [wanted]).length > 0
    ? "wanted"
    : "previous";
}

/** The issuer for a cluster of which nothing is known, or in which nothing runs. */
function typicalOf({ previous, live }: Rotation, moved: number): Which {
  const fresh = presentIn(live).length === 0;
  return previous === undefined || moved > 0 || fresh ? "wanted" : "previous";
}

/** Issuers that neither generation signed: this stack has no key with which to go on from there. */
function unknownIssuers({ wanted, previous, live }: Rotation): string[] {
  const own = previous === undefined ? [wanted] : [wanted, previous];
  return presentIn(live).flatMap(([cluster, { issuer }]) => {
    const [first] = issuer;
    const isOurs = first === undefined || anchorsBehind(issuer, own).length > 0;
    return isOurs ? [] : [texts.unknownIssuer(cluster, first, own)];
  });
}

/** The reasons why nobody can tell how far a rotation has come: no cluster that runs can be read. */
function progressUnknown({ previous, live }: Rotation): string[] {
  if (previous === undefined || presentIn(live).length > 0) return [];
  const whys = unreadableIn(live);
  return whys.length === 0 ? [] : [texts.progressUnknown(whys)];
}
