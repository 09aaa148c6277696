import type { Decision, FieldChange } from "../decide/decision.ts";
import type { Before, ByPart, ChangeTexts } from "../model/state.ts";

/**
 * What there is to say of one mirror that the list of mirrors cannot show by itself. That list shows what comes
 * and goes between the last run and this one; it cannot show that a mirror it already had is
 * missing or altered, nor that one it never had is to be deleted, and it shows as coming what was
 * there before, and as going what is only given up.
 *
 * @param decision absent: there is no such mirror any more
 * @param wasListed by the run before
 */
export function changeTexts(
  decision: Decision | undefined,
  wasListed: boolean,
): ChangeTexts[string] | undefined {
  switch (decision?.verdict) {
    case "create":
      if (!wasListed) return undefined;
      return decision.live.endpoints === undefined
        ? { action: "create again: it is missing" }
        : { action: "create again: its Service is missing" };
    case "delete":
      if (wasListed) return undefined;
      return decision.live.service === undefined
        ? { action: "delete: Endpoints left behind without their Service" }
        : { action: "delete: left behind, nothing that is exported asks for it" };
    case "replace":
      return { action: "replace: delete and create again", ...fieldTexts(decision.fields) };
    case "update":
      // One that gets this stack's mark as well says so by its fields.
      return fieldTexts(decision.fields);
    case "keep":
      if (decision.mark === "confirm")
        return { action: "confirm: it exists, and gets this stack's mark" };
      return wasListed ? undefined : { action: "adopt: already exists" };
    default:
      return wasListed ? { action: "forget: already deleted, or no longer owned" } : undefined;
  }
}

function fieldTexts(fields: readonly FieldChange[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.map(({ field, live, wanted }) => [field, `${live} → ${wanted}`]),
  );
}

/**
 * Pulumi shows how inputs differ from those of the last run. So lines of that run stay in, where
 * they show as nothing, until a run finds all in order; a line that comes up again is told apart.
 */
export function withHistory(before: ChangeTexts = {}, pending: ChangeTexts = {}): ChangeTexts {
  const told = Object.entries(pending).map(([key, texts]) => {
    const earlier = before[key] ?? {};
    const lines = Object.entries(texts).map(
      ([field, text]) => [field, earlier[field] === text ? `${text} (again)` : text] as const,
    );
    return [key, { ...earlier, ...Object.fromEntries(lines) }] as const;
  });
  return { ...before, ...Object.fromEntries(told) };
}

export function historyOf(before: Before, pending: ByPart<ChangeTexts>): ByPart<ChangeTexts> {
  const parts = new Set([...Object.keys(before.changes ?? {}), ...Object.keys(pending)]);
  return Object.fromEntries(
    [...parts].sort().flatMap((part) => {
      const texts = withHistory(before.changes?.[part], pending[part]);
      return Object.keys(texts).length === 0 ? [] : [[part, texts] as const];
    }),
  );
}
