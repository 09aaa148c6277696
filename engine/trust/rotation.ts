import { listed } from "../base/message.ts";
import { valueIn } from "../base/result.ts";
import { type Bundle, has, unique, without } from "./bundle.ts";
import { anchorsBehind, called, type Certificate } from "./certificate.ts";
import {
  type LiveTrust,
  type LiveTrusts,
  type PresentTrust,
  presentIn,
  unreadableIn,
} from "./live.ts";

export interface Rotation {
  readonly wanted: Certificate;
  /** This stack still has the issuers of the previous generation. */
  readonly previous?: Certificate | undefined;
  /** The config adds these anchors to every cluster. */
  readonly adopted?: Bundle;
  /** An anchor that somebody has added to one cluster's bundle never spreads to the others. */
  readonly unknown?: "keep" | "remove";
  readonly live: LiveTrusts;
  readonly now: Date;
  readonly certificateLifetimeMs?: number;
  /** It names who carries out the plan, such as "this run". */
  readonly by?: string;
  /** Runs restart workloads themselves. */
  readonly restarts?: boolean;
}

export type Facts = ReturnType<typeof factsOf>;

export function factsOf({ wanted, previous, adopted = [], unknown = "keep", live }: Rotation) {
  const present = presentIn(live);
  const own = previous === undefined ? [wanted] : [wanted, previous];
  const known = [...own, ...adopted];
  const trusted = unique(present.flatMap(([, { bundle }]) => bundle));
  const unknownAnchors = without(trusted, known);
  const lasting = unique([wanted, ...adopted]);
  const isMoved = ({ issuer }: PresentTrust) =>
    previous === undefined || anchorsBehind(issuer, [wanted]).length > 0;
  const moved = present.filter(([, trust]) => isMoved(trust)).length;
  const isUnknown = previous !== undefined && present.length === 0 && unreadableIn(live).length > 0;
  return {
    present,
    /** Nobody can tell how far a rotation has come, because no cluster that runs can be read. */
    isUnknown,
    /** This stack has the issuers of these anchors. */
    own,
    known,
    unknownAnchors,
    /** Every cluster trusts these in the end. */
    lasting,
    /** Until then, anchors of the previous generation that are in use stay too. */
    shared: unique([...lasting, ...own.filter((anchor) => has(trusted, anchor))]),
    leaving: without(trusted, unknown === "keep" ? [...lasting, ...unknownAnchors] : lasting),
    allMoved: moved === present.length,
    /** A cluster of which nothing is known, or in which nothing runs, gets what the others have. */
    signerOf: (trust: LiveTrust): "wanted" | "previous" => {
      const running = valueIn(trust);
      return (running === undefined ? moved > 0 : isMoved(running)) ? "wanted" : "previous";
    },
    trusting: (anchor: Certificate): string => {
      const names = present.flatMap(([name, { bundle }]) => (has(bundle, anchor) ? [name] : []));
      const clusters = names.length === 1 ? `Cluster ${names.join()} trusts` : undefined;
      return `${clusters ?? `Clusters ${listed(names)} trust`} ${called(anchor)}`;
    },
  };
}
