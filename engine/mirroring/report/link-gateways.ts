import { isIPv6 } from "node:net";
import type { Gateway } from "../model/gateway.ts";
import { type Decision, isWanted, ofPart } from "../decide/decision.ts";
import { count } from "../model/text.ts";
import type { LinkObservation } from "../model/observation.ts";

/** By target: the gateways that this run knows, those of targets that can't be read included. */
export function linkGateways(links: readonly LinkObservation[]): ReadonlyMap<string, Gateway> {
  return new Map(
    links.flatMap(({ link, target, remembered }) => {
      const gateway = target === undefined ? remembered : foundIn(target);
      return gateway === undefined ? [] : [[link.target, gateway] as const];
    }),
  );
}

function foundIn({
  gateway,
  awaited,
}: NonNullable<LinkObservation["target"]>): Gateway | undefined {
  return gateway.known && !awaited ? gateway.gateway : undefined;
}

/** For each gateway that is down: why, and how many mirrors lead nowhere because of it. */
export function downNotes(
  gateways: ReadonlyMap<string, Gateway>,
  decisions: readonly Decision[],
): (readonly [target: string, sentence: string])[] {
  return [...gateways].flatMap(([target, { addresses, probe }]) => {
    if (probe?.down === undefined) return [];
    const { path, port, down } = probe;
    const where = addresses.map((ip) => `${isIPv6(ip) ? `[${ip}]` : ip}:${port}`).join(", ");
    const out = ofPart(decisions, target)
      .filter(isWanted)
      .filter(({ wanted }) => wanted.endpoints?.subsets.some(({ ready }) => ready === false));
    const what = `${count(out.length, "mirror")} ${out.length === 1 ? "leads" : "lead"} nowhere`;
    return [
      [target, `its gateway ${where} fails its probe ${path} (${down}): ${what} until it answers`],
    ] as const;
  });
}
