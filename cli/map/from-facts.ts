import { omitUndefined } from "@linkerd-multicluster/engine/kubernetes";
import { federatedPart } from "@linkerd-multicluster/engine/mirroring";
import { backendsOf, type Facts, type GatewayState, type MirrorFact } from "../facts.ts";
import type {
  FindingPicture,
  HealthPicture,
  MirrorPicture,
  NotMirroredPicture,
  Picture,
} from "./picture.ts";

/** Findings shown of each check. */
const mostFindings = 100;

/** The picture of a mesh. @param preview whether it shows what the next `up` would change */
export function pictureOf(facts: Facts, preview: boolean): Picture {
  const { stack, readAt } = facts;
  const mirrors = Map.groupBy(facts.mirrors, ({ source, part }) => `${source}/${part}`);
  // A Service that can't be a member of a federated one belongs to the link that it would come through.
  const skipped = Map.groupBy(
    facts.notMirrored,
    ({ source, part, cluster }) => `${source}/${part === federatedPart ? (cluster ?? "") : part}`,
  );
  const groups = new Map(facts.health.groups.map(({ name, checks }) => [name, checks]));
  const judged = (
    name: string,
  ): { readonly health: HealthPicture; readonly findings: FindingPicture[] } => {
    const checks = groups.get(name) ?? [];
    const findings = checks.flatMap(({ title, hint, findings }) =>
      findings.slice(0, mostFindings).map(({ severity, sentence }): FindingPicture => ({
        severity: severity === "warning" ? "warning" : "error",
        check: title,
        sentence,
        ...omitUndefined({ hint }),
      })),
    );
    const isKnown = checks.some(({ result }) => result !== "skipped");
    return { health: worst(findings, isKnown), findings };
  };
  return {
    version: 1,
    stack,
    readAt,
    preview,
    clusters: facts.clusters.map(({ name, linkerd, anchors = [] }) => {
      const { health, findings } = judged(name);
      const refusals = facts.next
        .filter(({ source }) => source === name)
        .flatMap((next) => next.refusals)
        .map((sentence): FindingPicture => ({ severity: "error", check: "next up", sentence }));
      return {
        name,
        ...omitUndefined({ linkerd }),
        health: refusals.length > 0 ? "error" : health,
        anchors: anchors.map((each) => ({ name: each.name, days: days(readAt, each.expiresAt) })),
        findings: [...refusals, ...findings],
      };
    }),
    links: facts.links.map(({ source, target, mode, mirroring, gateway }) => ({
      source,
      target,
      mirroring,
      kind: mode === "flat" ? "flat" : "gateway",
      ...judged(`${source}/${target}`),
      ...(gateway !== undefined && { gateway: gatewayText(gateway) }),
      mirrors: (mirrors.get(`${source}/${target}`) ?? []).map((fact) => mirrorOf(fact, preview)),
      notMirrored: (skipped.get(`${source}/${target}`) ?? []).map(
        ({ service, pod, reason, sentence }): NotMirroredPicture => ({
          service,
          ...omitUndefined({ pod }),
          reason,
          sentence,
        }),
      ),
    })),
    federated: facts.mirrors.flatMap((fact) => {
      if (fact.part !== federatedPart) return [];
      const { service, kind, ...common } = mirrorOf(fact, preview);
      return [{ cluster: fact.source, ...common, members: backendsOf(fact) }];
    }),
  };
}

function worst(findings: readonly FindingPicture[], isKnown: boolean): HealthPicture {
  if (!isKnown) return "unknown";
  if (findings.some(({ severity }) => severity === "error")) return "error";
  return findings.length > 0 ? "warning" : "ok";
}

const states: Readonly<Record<MirrorFact["verdict"], string>> = {
  create: "missing",
  update: "differs",
  replace: "differs",
  delete: "leftover",
  handOver: "managed by others",
  keep: "ok",
};

function mirrorOf(
  { mirror, service = "", kind, ports, verdict, undecided, fields = [] }: MirrorFact,
  preview: boolean,
): MirrorPicture {
  const isToChange = verdict !== "keep" && verdict !== "handOver";
  return {
    name: mirror,
    service,
    kind,
    ports,
    state: undecided === undefined ? states[verdict] : "undecided",
    ...(preview && isToChange && { next: verdict }),
    ...(preview && fields.length > 0 && { changes: fields }),
  };
}

function gatewayText({ state, why, addresses = [], port }: GatewayState): string {
  const where = addresses.length === 0 ? "gateway" : `${addresses.join(", ")}:${port ?? "?"}`;
  const words = { alive: "alive", open: "not probed", down: "down", unknown: "unknown" };
  return `${where}, ${words[state]}${why === undefined ? "" : `: ${why}`}`;
}

function days(from: string, to: string): number {
  return Math.floor((Date.parse(to) - Date.parse(from)) / 86_400_000);
}
