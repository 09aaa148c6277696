import { label } from "@linkerd-multicluster/engine/mirroring";
import type { Scenario } from "../scenario.ts";

/** Two clusters: what west exports appears on east, and of headless Services every single pod. */
export const westOnEast: Pick<Scenario, "clusters" | "mirrorsIn" | "config"> = {
  clusters: ["west", "east"],
  mirrorsIn: "east",
  config: {
    clusters: { west: {}, east: {} },
    links: [{ source: "east", target: "west", headless: true }],
    manage: "mirrors",
  },
};

/** Commands that show what there is on both. */
export const worthALook: readonly string[] = [
  "kubectl --context west get services -A",
  "kubectl --context east get services,endpoints -A",
];

export const exported = { [label.exported]: "true" };

/** The tutorial's StatefulSet, and the headless Service of its pods. */
export const set = { namespace: "default", name: "nginx-set" };
export const nginx = {
  ...{ namespace: "default", name: "nginx-svc", app: "nginx" },
  ...{ ports: [{ port: 80 }], labels: exported },
};
