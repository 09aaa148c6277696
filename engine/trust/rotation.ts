import { listed } from "../message.ts";
import { valueIn } from "../result.ts";
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
  /** The anchor of the previous generation, whose issuers this stack still has; none in the first. */
  readonly previous?: Certificate | undefined;
  /** Additional anchors that the config adds to every cluster. */
  readonly adopted?: Bundle;
  /**
   * Whether other live anchors are kept or removed. An anchor that somebody has added to one cluster's bundle must
   * never spread to the others.
   */
  readonly unknown?: "keep" | "remove";
  readonly live: LiveTrusts;
  readonly now: Date;
  /** The lifetime of a workload's certificate in milliseconds; Linkerd's default is 24 hours. */
  readonly certificateLifetime?: number;
  /** The words for who carries out the plan, such as "this run". */
  readonly by?: string;
}

export type Facts = ReturnType<typeof factsOf>;

/** Derives the progress of a rotation from the live trust of all clusters. */
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
    /** Whether nobody can tell how far a rotation has come: no cluster that runs can be read. */
    isUnknown,
    /** Anchors whose issuers this stack has. */
    own,
    known,
    /** Live anchors that aren't this stack's. */
    unknownAnchors,
    /** Anchors that every cluster trusts in the end. */
    lasting,
    /** The same anchors, and those of the previous generation that are still in use. */
    shared: unique([...lasting, ...own.filter((anchor) => has(trusted, anchor))]),
    /** Anchors to remove. */
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
