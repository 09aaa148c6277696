import { deepEqual, equal, ok } from "node:assert/strict";
import * as z from "zod";
import { federatedName } from "../../../engine/mirroring/model/vocabulary.ts";
import { documents, filesIn, text } from "./files.ts";

const labels = z.record(z.string(), z.string());
const metadata = z.object({ name: z.string(), namespace: z.string().optional() });
const service = z.object({
  ...{ kind: z.literal("Service"), metadata },
  spec: z.object({
    selector: labels,
    ports: z.array(z.object({ port: z.number(), targetPort: z.number().optional() })),
  }),
});
const ports = z.array(z.object({ containerPort: z.number() })).default([]);
const workload = z.object({
  ...{ kind: z.enum(["Deployment", "StatefulSet"]), metadata },
  spec: z.object({
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels, annotations: labels }),
      spec: z.object({ containers: z.array(z.object({ ports })) }),
    }),
  }),
});
const other = z.object({
  kind: z.string().regex(/^(?!(Service|Deployment|StatefulSet)$)/),
  metadata,
});
const object = z.union([service, workload, other]);

function selects(
  selector: Readonly<Record<string, string>>,
  { spec }: z.output<typeof workload>,
): boolean {
  const own = spec.template.metadata.labels;
  return Object.entries(selector).every(([key, value]) => own[key] === value);
}

describe("examples: manifests", () => {
  for (const path of filesIn(".").filter((file) => file.includes("/manifests/")))
    it(`${path}: meshed workloads select their pods, and Services lead to a port of one of them`, () => {
      const objects = documents(path).map((document) => object.parse(document));
      const workloads = objects.flatMap((each) => workload.safeParse(each).data ?? []);
      for (const each of workloads) {
        ok(selects(each.spec.selector.matchLabels, each), each.metadata.name);
        equal(each.spec.template.metadata.annotations["linkerd.io/inject"], "enabled");
      }
      for (const { metadata: own, spec } of objects.flatMap(
        (each) => service.safeParse(each).data ?? [],
      )) {
        const [behind, ...others] = workloads.filter(
          (each) => each.metadata.namespace === own.namespace && selects(spec.selector, each),
        );
        equal(others.length, 0, own.name);
        const open = behind?.spec.template.spec.containers.flatMap((each) => each.ports);
        const numbers = open?.map(({ containerPort }) => containerPort);
        deepEqual(
          spec.ports.filter(
            ({ port, targetPort = port }) => numbers?.includes(targetPort) !== true,
          ),
          [],
        );
      }
    });

  it("traffic.yaml asks the federated Service at the members' port", () => {
    ok(text("federated/manifests/traffic.yaml").includes(`http://${federatedName("bb")}:8080\n`));
    ok(text("federated/manifests/bb-west.yaml").includes("port: 8080"));
  });
});
