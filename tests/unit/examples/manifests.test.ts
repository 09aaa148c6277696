import { deepEqual, equal, ok } from "node:assert/strict";
import * as z from "zod";
import { federatedName } from "../../../engine/mirroring/model/vocabulary.ts";
import { documents, manifests, text } from "./files.ts";

const labels = z.record(z.string(), z.string());
const metadata = z.looseObject({ name: z.string(), namespace: z.string() });

const service = z.looseObject({
  kind: z.literal("Service"),
  metadata,
  spec: z.looseObject({
    selector: labels,
    ports: z.array(z.looseObject({ port: z.number(), targetPort: z.number().optional() })),
  }),
});

const workload = z.looseObject({
  kind: z.enum(["Deployment", "StatefulSet"]),
  metadata,
  spec: z.looseObject({
    selector: z.looseObject({ matchLabels: labels }),
    template: z.looseObject({
      metadata: z.looseObject({ labels, annotations: labels }),
      spec: z.looseObject({
        containers: z.array(
          z.looseObject({
            ports: z.array(z.looseObject({ containerPort: z.number() })).default([]),
          }),
        ),
      }),
    }),
  }),
});

type Workload = z.output<typeof workload>;

function selects(selector: Readonly<Record<string, string>>, { spec }: Workload): boolean {
  const { labels } = spec.template.metadata;
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

describe("examples: manifests", () => {
  for (const path of manifests) {
    const objects = documents(path);
    const ofKind = <T extends z.ZodType>(type: T, kinds: RegExp): z.output<T>[] =>
      objects
        .filter((one) => kinds.test(z.looseObject({ kind: z.string() }).parse(one).kind))
        .map((one) => type.parse(one));
    const workloads = ofKind(workload, /^(Deployment|StatefulSet)$/);

    it(`${path}: workloads select their own pods, which are meshed`, () => {
      for (const one of workloads) {
        ok(selects(one.spec.selector.matchLabels, one), one.metadata.name);
        equal(one.spec.template.metadata.annotations["linkerd.io/inject"], "enabled");
      }
    });

    it(`${path}: Services lead to a port of one workload, in the same namespace`, () => {
      for (const { metadata, spec } of ofKind(service, /^Service$/)) {
        const behind = workloads.filter(
          (one) => one.metadata.namespace === metadata.namespace && selects(spec.selector, one),
        );
        equal(behind.length, 1, metadata.name);
        const open = behind.flatMap(({ spec: { template } }) =>
          template.spec.containers.flatMap(({ ports }) => ports.map((one) => one.containerPort)),
        );
        deepEqual(
          spec.ports.filter(({ port, targetPort = port }) => !open.includes(targetPort)),
          [],
        );
      }
    });
  }

  it("traffic.yaml asks the federated Service at the members' port", () => {
    const traffic = text("federated/manifests/traffic.yaml");
    ok(traffic.includes(`http://${federatedName("bb")}:8080\n`));
    ok(text("federated/manifests/bb-west.yaml").includes("port: 8080"));
  });
});
