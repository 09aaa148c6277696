import { equal, ok } from "node:assert/strict";
import * as z from "zod";
import { federatedName } from "../../../engine/mirroring/model/vocabulary.ts";
import { documents, filesIn, text } from "./files.ts";

const labels = z.record(z.string(), z.string());
const port = z.object({ port: z.number(), targetPort: z.number().optional() });
const service = z.object({
  kind: z.literal("Service"),
  spec: z.object({ selector: labels, ports: z.array(port) }),
});
const ports = z.array(z.object({ containerPort: z.number() })).default([]);
const template = z.object({
  metadata: z.object({ labels, annotations: labels }),
  spec: z.object({ containers: z.array(z.object({ ports })) }),
});
const workload = z.object({
  kind: z.enum(["Deployment", "StatefulSet"]),
  spec: z.object({ selector: z.object({ matchLabels: labels }), template }),
});

describe("examples: manifests", () => {
  for (const path of filesIn(".").filter((file) => file.includes("/manifests/")))
    it(`${path}: workloads are meshed and select their pods, and Services reach a port of one of them`, () => {
      const objects = documents(path);
      const workloads = objects.flatMap((each) => workload.safeParse(each).data?.spec ?? []);
      const selected = (selector: z.output<typeof labels>) =>
        workloads
          .map((each) => each.template)
          .filter(({ metadata }) =>
            Object.entries(selector).every(([key, value]) => metadata.labels[key] === value),
          );
      for (const each of workloads) {
        ok(selected(each.selector.matchLabels).includes(each.template));
        equal(each.template.metadata.annotations["linkerd.io/inject"], "enabled");
      }
      for (const { spec } of objects.flatMap((each) => service.safeParse(each).data ?? [])) {
        const [pod, ...others] = selected(spec.selector);
        equal(others.length, 0);
        const open = pod?.spec.containers.flatMap((each) => each.ports) ?? [];
        const numbers = open.map(({ containerPort }) => containerPort);
        for (const { port, targetPort = port } of spec.ports)
          ok(numbers.includes(targetPort), `port ${port}`);
      }
    });

  it("traffic.yaml calls the federated Service at the members' port", () => {
    ok(text("federated/manifests/traffic.yaml").includes(`http://${federatedName("bb")}:8080\n`));
    ok(text("federated/manifests/bb-west.yaml").includes("port: 8080"));
  });
});
