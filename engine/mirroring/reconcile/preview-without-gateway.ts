import type { GatewayReading } from "../model/gateway.ts";
import { notMirrored } from "./preview.ts";
import type { MirrorsArgs, Planned } from "./state.ts";
import { surveyLink } from "./survey-link.ts";
import type { Snapshots } from "./survey.ts";
import { awaitsUnknown, unknownValue } from "./unknown.ts";

/** Stands for the gateway that is to come; no line about a mirror says where it is. */
const assumed: GatewayReading = {
  known: true,
  gateway: { addresses: ["0.0.0.0"], port: 1, identity: "" },
  warnings: [],
};

/**
 * What the preview of a link can show while its gateway is yet to be made by this very run: the
 * mirrors that there will be. Undefined where some are there already, of which it could not be
 * told what becomes of them, or where anything else is unknown too.
 */
export async function foreseen(
  world: Snapshots,
  args: MirrorsArgs,
): Promise<Pick<Planned, "mirrors" | "notMirrored"> | undefined> {
  const { gatewaySeen, ...known } = args;
  if (gatewaySeen !== unknownValue || awaitsUnknown(known)) return undefined;
  const survey = await surveyLink(world, known, assumed);
  if (survey.outcome !== "planned" || survey.plan.refusal !== undefined) return undefined;
  const { changes, mirrors, skips } = survey.plan;
  if (changes.length < Object.keys(mirrors).length) return undefined;
  if (changes.some(({ action }) => action !== "create")) return undefined;
  const skipped = notMirrored(skips);
  return { mirrors, ...(Object.keys(skipped).length > 0 && { notMirrored: skipped }) };
}
