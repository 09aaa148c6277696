import { listed } from "../../message.ts";
import { type Decision, isWanted } from "../model/decision.ts";
import { keptFields } from "../model/difference.ts";

/** Reports fields of mirrors that others have set and that no update by this program changes. */
export function keptNote(decisions: readonly Decision[]): string | undefined {
  const kept = decisions
    .filter(isWanted)
    .flatMap(({ key, live: { service } }) =>
      service === undefined ? [] : keptFields(service).map((field) => `${key}: ${field}`),
    );
  return kept.length === 0
    ? undefined
    : `others have set fields of mirrors that this program leaves as they are (${listed(kept, 5)}): have them leave out Services with the label mirror.linkerd.io/mirrored-service`;
}
