import { deepEqual } from "node:assert/strict";
import { desired } from "../../../engine/mirroring/decide/mirrors/link-mirrors.ts";
import { desiredFederated } from "../../../engine/mirroring/decide/mirrors/federated.ts";
import type { LinkSpec } from "../../../engine/mirroring/model/link.ts";
import type { Mirror } from "../../../engine/mirroring/model/mirror.ts";
import type { Service } from "../../../engine/kubernetes/objects.ts";
import { describeWanted } from "../../../engine/mirroring/report/describe.ts";
import { known } from "../fixtures/link.ts";
import { cluster, endpoints, now, pods, service } from "../fixtures/objects.ts";
import { configOf, text, type Example } from "./files.ts";
import { theOne } from "./objects.ts";

type Lines = Readonly<Record<string, string>>;

function linesOf(mirrors: readonly Mirror[]): Lines {
  const entries = mirrors.map((mirror) => {
    return [`${mirror.namespace}/${mirror.name}`, describeWanted(mirror)] as const;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** As Pulumi shows a map that changes, without its blanks. */
function difference(before: Lines, after: Lines): string[] {
  return Object.keys({ ...before, ...after })
    .sort()
    .flatMap((key) => {
      const old = before[key];
      const value = after[key];
      if (value === undefined) return [`- ${key}: "${old ?? ""}"`];
      if (old === undefined) return [`+ ${key}: "${value}"`];
      return old === value ? [] : [`~ ${key}: "${old}" => "${value}"`];
    });
}

/** The lines of previews that a README shows. */
function shown(example: Example): string[] {
  return text(`${example}/README.md`)
    .split("\n")
    .filter((line) => /^[+~-] \S+\/\S+ *: "/.test(line))
    .map((line) => line.replace(/ +:/, ":"));
}

/** The manifest's Service with the label that the README puts on it in that cluster. */
function labelled(example: Example, name: string, manifest: string): Service {
  const { metadata, spec } = theOne("Service", `${example}/manifests/${manifest}`);
  const command = new RegExp(
    `^kubectl --context k3d-${name}(?: -n ${metadata.namespace})? label service ${metadata.name} (\\S+)=(\\S+)$`,
    "m",
  );
  const [, key = "", value = ""] = command.exec(text(`${example}/README.md`)) ?? [];
  const labels = { [key]: value };
  return service(`${metadata.namespace}/${metadata.name}`, { labels }, spec);
}

function linkTo(target: string, example: Example): LinkSpec {
  const found = configOf(example).links.find(({ spec }) => spec.target === target);
  if (found === undefined) throw new Error(`no link to ${target}`);
  return found.spec;
}

describe("examples: what the READMEs show of previews is what the engine says", () => {
  it("statefulset: exported, then without headless, then scaled to five", () => {
    const east = cluster("east", { namespaces: ["default"] });
    const mirrors = (replicas: number, headless = true): Lines => {
      const hosts = Array.from({ length: replicas }, (_, index) => `nginx-set-${index}`);
      const west = cluster("west", {
        services: [labelled("statefulset", "west", "nginx.yaml")],
        endpoints: [
          endpoints("default/nginx-svc", [pods(hosts, [], [{ port: 80, protocol: "TCP" }])]),
        ],
      });
      const link = { ...linkTo("west", "statefulset"), headless };
      return linesOf(
        desired({ link, source: east, target: west, gateway: known(), taken: {}, now }).mirrors,
      );
    };
    deepEqual(shown("statefulset"), [
      ...difference({}, mirrors(3)),
      ...difference(mirrors(3), mirrors(3, false)),
      ...difference(mirrors(3), mirrors(5)),
    ]);
  });

  it("federated: three join, north leaves, and south joins", () => {
    const withBb = (name: string) =>
      cluster(name, { services: [labelled("federated", name, `bb-${name}.yaml`)] });
    const link = linkTo("east", "federated");
    const mirrors = (...targets: ReturnType<typeof withBb>[]): Lines =>
      linesOf(
        desiredFederated({
          source: withBb("west"),
          links: targets.map((target) => ({
            link: { ...link, target: target.cluster },
            target,
            created: undefined,
          })),
          retired: [],
        }).mirrors,
      );
    const [east, north] = [withBb("east"), withBb("north")];
    const three = mirrors(east, north);
    deepEqual(shown("federated"), [
      ...difference({}, three),
      ...difference(three, mirrors(east, cluster("north"))),
      ...difference(three, mirrors(east, north, withBb("south"))),
    ]);
  });
});
