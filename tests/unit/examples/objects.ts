import * as z from "zod";
import { documents } from "./files.ts";

/** What the manifests consist of, key by key: whatever is not here is a mistake. */

const labels = z.record(z.string(), z.string());
const name = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const port = z.int().min(1).max(65535);
const namespaced = z.strictObject({ name, namespace: name });

const container = z.strictObject({
  name,
  image: z.string().regex(/^[a-z0-9./-]+:[\w.-]+$/),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  ports: z.array(z.strictObject({ containerPort: port })).default([]),
  readinessProbe: z
    .strictObject({ httpGet: z.strictObject({ path: z.string(), port }) })
    .optional(),
});

const workload = {
  replicas: z.int().min(1),
  selector: z.strictObject({ matchLabels: labels }),
  template: z.strictObject({
    metadata: z.strictObject({ labels, annotations: labels }),
    spec: z.strictObject({
      terminationGracePeriodSeconds: z.int().min(0).optional(),
      containers: z.array(container).min(1),
    }),
  }),
};

const object = z.discriminatedUnion("kind", [
  z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("Namespace"),
    metadata: z.strictObject({ name }),
  }),
  z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("Service"),
    metadata: namespaced.extend({ labels: labels.exactOptional() }),
    spec: z.strictObject({
      clusterIP: z.literal("None").exactOptional(),
      selector: labels,
      ports: z
        .array(
          z.strictObject({
            name: name.exactOptional(),
            port,
            targetPort: port.exactOptional(),
          }),
        )
        .min(1),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal("apps/v1"),
    kind: z.literal("Deployment"),
    metadata: namespaced,
    spec: z.strictObject(workload),
  }),
  z.strictObject({
    apiVersion: z.literal("apps/v1"),
    kind: z.literal("StatefulSet"),
    metadata: namespaced,
    spec: z.strictObject({ serviceName: name, ...workload }),
  }),
]);

export type Manifest = z.output<typeof object>;
type OfKind<Kind extends Manifest["kind"]> = Extract<Manifest, { kind: Kind }>;

export function objectsIn(path: string): Manifest[] {
  return documents(path).map((document) => object.parse(document));
}

export function ofKind<Kind extends Manifest["kind"]>(
  kind: Kind,
  objects: readonly Manifest[],
): OfKind<Kind>[] {
  return objects.filter((one): one is OfKind<Kind> => one.kind === kind);
}

/** The only one of its kind. */
export function theOne<Kind extends Manifest["kind"]>(kind: Kind, path: string): OfKind<Kind> {
  const [first, ...more] = ofKind(kind, objectsIn(path));
  if (first === undefined || more.length > 0) throw new Error(`${path}: not one ${kind}`);
  return first;
}
