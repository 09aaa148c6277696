import { plain } from "@linkerd-multicluster/engine/kubernetes";
import * as z from "zod";
import type { RunFact } from "./facts.ts";

const run = z.looseObject({
  version: z.number().default(0),
  kind: z.string(),
  result: z.string(),
  message: z.string().default(""),
  startTime: z.string(),
  endTime: z.string(),
});

/** The updates of a stack that `pulumi stack history --json` prints, without what may be secret. */
export function runsIn(history: string): readonly RunFact[] {
  return z
    .array(run)
    .parse(JSON.parse(history))
    .map(({ version, kind, result, message, startTime, endTime }) => ({
      ...(version > 0 && { update: version }),
      ...{ kind, result, message: plain(message, 200), startedAt: startTime, endedAt: endTime },
    }));
}

const resources = z.looseObject({
  deployment: z.looseObject({
    resources: z
      .array(z.looseObject({ urn: z.string(), type: z.string(), created: z.string().optional() }))
      .default([]),
  }),
});

/**
 * When the token of each link was made, by `source/target`: by the Secrets in the state that
 * `pulumi stack export` prints, of which a rotation makes a new one before the old one goes.
 */
export function tokensIn(exported: string): ReadonlyMap<string, string> {
  const { deployment } = resources.parse(JSON.parse(exported));
  const tokens = deployment.resources.flatMap(({ urn, type, created }): [string, string][] => {
    const [, link] = /::([^:]+\/[^:/]+)\/token$/.exec(urn) ?? [];
    return type === "kubernetes:core/v1:Secret" && link !== undefined && created !== undefined
      ? [[link, created]]
      : [];
  });
  return new Map(tokens.sort(([, a], [, b]) => (a < b ? -1 : 1)));
}
