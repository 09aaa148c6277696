import { verdicts } from "@linkerd-multicluster/engine/mirroring";
import type { Appearance, ExplainedMirror, ExplainedService, Explanation } from "./explain.ts";
import { mark, paint, type Tone } from "../output.ts";

const shown: Readonly<
  Record<Appearance["state"], readonly [tone: Exclude<Tone, "head">, words: string]>
> = {
  mirrored: ["good", "mirrored to"],
  pending: ["warn", "pending in"],
  notMirrored: ["bad", "not mirrored to"],
  notSelected: ["dim", "not exported to"],
  controller: ["dim", "left to Linkerd's controller in"],
  noLink: ["dim", "not mirrored to"],
  unknown: ["bad", "unknown whether mirrored to"],
};

export function explanationText({ asked, services, near, unread = [] }: Explanation): string {
  if (services.length === 0) {
    const where = `No${unread.length === 0 ? "" : " readable"} cluster of the stack has a`;
    const question = near === undefined ? "" : ` Did you mean ${near}?`;
    return [`${where} Service or mirror ${asked}.${question}`, ...unread, ""].join("\n");
  }
  return services.map(serviceText).join("\n");
}

function serviceText(explained: ExplainedService): string {
  const { cluster, service, live, drained, restriction, appearsIn } = explained;
  const labels = Object.entries(live?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  // Nothing depends on labels where no link leads.
  const isLinked = appearsIn.some(({ state }) => state !== "noLink");
  const facts =
    live === undefined
      ? []
      : [
          `${live.type}, ports ${live.ports}, ${live.ready ?? 0} ready`,
          ...(isLinked ? [`labels for links: ${labels.join(", ") || "none"}`] : []),
          ...(restriction === undefined ? [] : [restriction]),
          ...(live.failover ?? []),
        ];
  return [
    paint("head", `${service} in ${cluster}`),
    ...(drained ? [`  ${mark("warn")} ${cluster} is drained`] : []),
    ...facts.map((line) => `  ${line}`),
    ...appearsIn.flatMap(appearanceLines),
    "",
  ].join("\n");
}

function appearanceLines(appearance: Appearance) {
  const { source, state, why, fix, selector, mirrors, notMirrored } = appearance;
  const by = selector === undefined ? "" : ` (selector ${selector})`;
  const reason = why === undefined ? "" : `: ${why}`;
  const [tone, words] = shown[state];
  return [
    `  ${mark(tone)} ${words} ${source}${by}${reason}`,
    ...fixLine(fix),
    ...mirrors.flatMap(mirrorLines).map((line) => `      ${line}`),
    ...(mirrors.length === 0 ? [] : notMirrored).flatMap((skip) => [
      `      ${mark("warn")} ${skip.pod === undefined ? "skipped" : `skipped pod ${skip.pod}`} (${skip.reason}): ${skip.sentence}`,
      ...fixLine(skip.fix),
    ]),
  ];
}

function fixLine(fix: string | undefined): string[] {
  return fix === undefined ? [] : [`      Fix: ${fix}`];
}

function mirrorLines(mirror: ExplainedMirror): string[] {
  const { line, verdict, address, endpoints, identity, since, writtenBy = [] } = mirror;
  const action = mirror.undecided === undefined ? verdicts[verdict].next : " (unchanged)";
  const { fields = [], names } = mirror;
  const ready = endpoints?.ready ?? [];
  const notReady = endpoints?.notReady ?? 0;
  const details = [
    ...(ready.length === 0 ? [] : [`endpoints ${ready.join(", ")}`]),
    ...(notReady === 0 ? [] : [`${notReady} not ready`]),
    ...(identity === undefined || identity === "" ? [] : [`identity ${identity}`]),
  ];
  const stacks = [...new Set(writtenBy.map(({ stack }) => stack))].join(", ");
  return [
    `${mirror.mirror}${action}: ${line}`,
    ...(address === undefined ? [] : [`  ${[`address ${address}`, ...details].join("; ")}`]),
    `  names: ${names.join(", ")}`,
    ...(mirror.needs === undefined ? [] : [`  needs ${mirror.needs}`]),
    ...(since === undefined
      ? []
      : [`  created ${since}${stacks === "" ? "" : `, written by ${stacks}`}`]),
    ...fields.map((field) => `  ${mark("warn")} ${field}`),
  ];
}
