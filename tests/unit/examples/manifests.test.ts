import { deepEqual, equal, ok } from "node:assert/strict";
import { federatedName } from "../../../engine/mirroring/model/vocabulary.ts";
import { manifests, text } from "./files.ts";
import { objectsIn, ofKind, theOne, type Manifest } from "./objects.ts";

const nginx = "statefulset/manifests/nginx.yaml";
const members = ["west", "east", "north", "south"].map((name) => ({
  name,
  path: `federated/manifests/bb-${name}.yaml`,
}));

type Workload = Extract<Manifest, { kind: "Deployment" | "StatefulSet" }>;

function workloadsIn(path: string): Workload[] {
  const objects = objectsIn(path);
  return [...ofKind("Deployment", objects), ...ofKind("StatefulSet", objects)];
}

function selects(selector: Readonly<Record<string, string>>, { spec }: Workload): boolean {
  const { labels } = spec.template.metadata;
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

describe("examples: manifests", () => {
  for (const path of manifests) {
    describe(path, () => {
      it("is made of objects that Kubernetes knows", () => {
        ok(objectsIn(path).length > 0);
      });

      it("has workloads that select their own pods", () => {
        for (const workload of workloadsIn(path))
          ok(selects(workload.spec.selector.matchLabels, workload), workload.metadata.name);
      });

      it("has all pods meshed", () => {
        for (const { spec } of workloadsIn(path))
          equal(spec.template.metadata.annotations["linkerd.io/inject"], "enabled");
      });

      it("has Services that lead to a port of one workload, in the same namespace", () => {
        for (const { metadata, spec } of ofKind("Service", objectsIn(path))) {
          const behind = workloadsIn(path).filter(
            (workload) =>
              workload.metadata.namespace === metadata.namespace &&
              selects(spec.selector, workload),
          );
          equal(behind.length, 1, metadata.name);
          const open = behind.flatMap(({ spec: { template } }) =>
            template.spec.containers.flatMap(({ ports }) => ports.map((one) => one.containerPort)),
          );
          for (const { port, targetPort = port } of spec.ports) ok(open.includes(targetPort));
        }
      });

      it("is in a namespace that is there, or that it brings along before all else", () => {
        const [first, ...objects] = objectsIn(path);
        const brought = first?.kind === "Namespace" ? first.metadata.name : undefined;
        const used = [...objects, first].flatMap((one) =>
          one === undefined || one.kind === "Namespace" ? [] : [one.metadata.namespace],
        );
        const traffic = path.endsWith("/traffic.yaml");
        const there = brought ?? (traffic ? "mc-demo" : "default");
        deepEqual([...new Set(used)], [there]);
      });
    });
  }

  it("nginx-set: three pods behind the headless Service nginx-svc, on port 80 without a name", () => {
    const service = theOne("Service", nginx);
    const { spec, metadata } = theOne("StatefulSet", nginx);
    equal(metadata.name, "nginx-set");
    equal(service.metadata.name, "nginx-svc");
    equal(spec.serviceName, service.metadata.name);
    equal(spec.replicas, 3);
    equal(service.spec.clusterIP, "None");
    deepEqual(service.spec.ports, [{ port: 80 }]);
  });

  it("bb: one Service in each cluster, whose port is 8080 by the name of http", () => {
    for (const { path } of members) {
      const { metadata, spec } = theOne("Service", path);
      deepEqual(metadata, { name: "bb", namespace: "mc-demo" });
      deepEqual(spec.ports, [{ name: "http", port: 8080, targetPort: 8080 }]);
    }
  });

  it("bb: its clusters differ in nothing but the text by which to tell them apart", () => {
    const plain = members.map(({ name, path }) =>
      text(path)
        .replace(`# For ${name}.`, "# For <cluster>.")
        .replace(`--response-text=hello from ${name}\n`, "--response-text=hello from <cluster>\n"),
    );
    equal(new Set(plain).size, 1);
    ok(plain.every((one) => one.includes("hello from <cluster>\n")));
  });

  it("traffic: asks the federated Service at the members' port", () => {
    const { spec } = theOne("Deployment", "federated/manifests/traffic.yaml");
    const command = spec.template.spec.containers.flatMap((one) => one.command ?? []).join(" ");
    ok(command.includes(`http://${federatedName("bb")}:8080\n`), command);
  });
});
