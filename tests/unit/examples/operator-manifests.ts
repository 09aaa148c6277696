import * as z from "zod";
import { documents, filesIn } from "./files.ts";

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().exactOptional() }),
  spec: z.record(z.string(), z.unknown()).exactOptional(),
});

export type Manifest = z.infer<typeof manifest>;

/** All objects of examples/operator. */
export function manifestsOf(): Manifest[] {
  return filesIn("operator")
    .filter((path) => path.endsWith(".yaml"))
    .flatMap((path) => documents(`operator/${path}`))
    .map((document) => manifest.parse(document));
}

/** Where a Kubernetes API server has objects of that kind. */
export function pathOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${root}${place}/${kind.toLowerCase()}s`;
}
