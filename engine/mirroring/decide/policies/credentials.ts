import { type Decision, isWanted, type Note } from "../../../model/decision.ts";
import { listed } from "../../../base/message.ts";
import { federatedPart } from "../../../model/owner.ts";
import { makesLinks, type MirrorsArgs } from "../../../model/state.ts";
import { annotation } from "../../../model/vocabulary.ts";

/**
 * Linkerd's destination controller finds pods of another cluster only with credentials for it (linkerd-behaviour.md 5).
 * With `manage: mirrors` others provide them, and a run can't tell whether they have done so.
 */
export function credentialsNotes(args: MirrorsArgs, decisions: readonly Decision[]): Note[] {
  if (makesLinks(args)) return [];
  const leading = decisions
    .filter(isWanted)
    .filter(
      ({ verdict, kind, wanted }) =>
        verdict === "create" &&
        (kind === "discovery" || wanted.annotations[annotation.remoteMembers] !== undefined),
    );
  if (leading.length === 0) return [];
  const keys = listed(leading.map(({ key }) => key));
  const sentence = `Linkerd in ${args.source} finds no pods of other clusters for ${keys} without credentials for these clusters, which manage: mirrors leaves to others: create them with linkerd multicluster link-gen, or set manage: links`;
  return [[federatedPart, sentence]];
}
