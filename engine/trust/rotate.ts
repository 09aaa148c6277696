import { type Bundle, has, inLiveOrder, union, without } from "./bundle.ts";
import { anchorsBehind, type Certificate } from "./certificate.ts";
import { type LiveTrust, type LiveTrusts, presentIn, unreadableIn } from "./live.ts";
import {
  dayLong,
  renewedBy,
  restartFrom,
  trustingNone,
  unread,
  withOldCertificate,
} from "./proxies.ts";
import { tell } from "./rotation-texts.ts";

/** What one cluster gets in this run. */
export interface ClusterPlan {
  readonly bundle: Bundle;
  /** Which issuer: the wanted one, or that of the generation before. */
  readonly issuer: "wanted" | "previous";
}

/**
 * How far the clusters are from the wanted trust, and so what this run does.
 *
 * - `settled`: they have it, or nothing runs yet that could break.
 * - `bundle`: every cluster gets the new anchor in addition to the old ones.
 * - `reissue`: every cluster gets an issuer signed by the new anchor.
 * - `drop`: the old anchors are removed from every cluster.
 * - `waiting`: the next of these would break traffic now, so everything stays.
 */
export type Stage = "settled" | "bundle" | "reissue" | "drop" | "waiting";

export interface TrustPlan {
  readonly stage: Stage;
  readonly clusters: ReadonlyMap<string, ClusterPlan>;
  /** Sentences for the person at the terminal: what this run does, and what remains to be done. */
  readonly notes: readonly string[];
}

/** A plan, or every reason why there is none: the run must not go on. */
export type Decision = TrustPlan | { readonly refused: readonly string[] };

export interface Rotation {
  /** The anchor that is to be the only one in the end. */
  readonly wanted: Certificate;
  /** The anchor of the generation before, whose issuers this stack still has; none in the first. */
  readonly previous?: Certificate | undefined;
  readonly live: LiveTrusts;
  readonly now: Date;
  /** Milliseconds that a workload's certificate lives; Linkerd's default is 24 hours. */
  readonly certificateLifetime?: number;
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
export function rotate(rotation: Rotation): Decision {
  const { wanted, live, now, certificateLifetime = dayLong } = rotation;
  const refused = [...strangers(rotation), ...blind(rotation)];
  if (refused.length > 0) return { refused };

  const present = presentIn(live);
  const signers = new Map(present.map(([name, { issuer }]) => [name, signerOf(issuer, rotation)]));
  const moved = [...signers.values()].filter((signer) => signer === "wanted").length;
  const everything = union([wanted], ...present.map(([, { bundle }]) => bundle));
  const old = without(everything, [wanted]);
  const asIs = (name: string): Which => signers.get(name) ?? typicalOf(rotation, moved);
  const plan = (
    stage: Stage,
    bundle: Bundle | "live",
    issuer: "live" | "wanted",
    note?: string,
  ) => ({
    stage,
    clusters: new Map(
      [...live].map(([name, trust]): [string, ClusterPlan] => [
        name,
        {
          bundle: bundleFor(trust, bundle, everything),
          issuer: issuer === "wanted" ? issuer : asIs(name),
        },
      ]),
    ),
    notes: note === undefined ? [] : [note],
  });

  if (old.length === 0 && moved === present.length && agree(rotation, [wanted]))
    return plan("settled", [wanted], "wanted");
  const unreadable = unreadableIn(live);
  if (unreadable.length > 0)
    return plan("waiting", "live", "live", tell.unreadable(wanted, unreadable));
  if (!agree(rotation, needed(rotation, moved < present.length)))
    return plan("bundle", everything, "live", tell.bundle(wanted));

  const unknown = unread(present);
  if (unknown.length > 0) return plan("waiting", "live", "live", tell.unread(unknown));
  const distrusting = trustingNone(present, [wanted]);
  if (distrusting.length > 0)
    return plan("waiting", "live", "live", tell.distrusting(wanted, distrusting));
  if (moved < present.length) return plan("reissue", "live", "wanted", tell.reissue(wanted));

  const late = withOldCertificate(present, now, certificateLifetime);
  if (late.length > 0)
    return plan(
      "waiting",
      "live",
      "live",
      tell.late(old, late, {
        from: restartFrom(present, now),
        renewed: renewedBy(present, certificateLifetime),
      }),
    );
  return plan("drop", [wanted], "wanted", tell.drop(old));
}

/** In the order in which it is live where it is the same: another order would restart pods. */
function bundleFor(trust: LiveTrust, bundle: Bundle | "live", everything: Bundle): Bundle {
  const own = trust.state === "present" ? trust.bundle : undefined;
  return bundle === "live" ? (own ?? everything) : inLiveOrder(bundle, own);
}

/** Anchors without which some proxy could not talk to all others in the steps to come. */
function needed({ wanted, previous }: Rotation, previousInUse: boolean): Bundle {
  return previous !== undefined && previousInUse ? [wanted, previous] : [wanted];
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

/** What a cluster gets of which nothing is known, or in which nothing runs. */
function typicalOf({ previous, live }: Rotation, moved: number): Which {
  const fresh = presentIn(live).length === 0;
  return previous === undefined || moved > 0 || fresh ? "wanted" : "previous";
}

/** Issuers that neither generation signed: this stack has no key with which to go on from there. */
function strangers({ wanted, previous, live }: Rotation): string[] {
  const own = previous === undefined ? [wanted] : [wanted, previous];
  return presentIn(live).flatMap(([cluster, { issuer }]) => {
    const [first] = issuer;
    const isOurs = first === undefined || anchorsBehind(issuer, own).length > 0;
    return isOurs ? [] : [tell.stranger(cluster, first, own)];
  });
}

/** Where no cluster that runs can be read, there is no telling how far a rotation has come. */
function blind({ previous, live }: Rotation): string[] {
  if (previous === undefined || presentIn(live).length > 0) return [];
  const whys = unreadableIn(live);
  return whys.length === 0 ? [] : [tell.blind(whys)];
}
