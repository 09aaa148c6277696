import { annotation } from "../../../engine/mirroring/model/vocabulary.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { isMirror } from "../../simulation/outcome.ts";

/** What people and programs do to a mirror: one of those that a cluster has. */
export interface Edit {
  readonly which: number;
  readonly by: "delete" | "delete endpoints" | "edit";
}

export function edit(server: ApiServer, { which, by }: Edit): void {
  const mirrors = [...server.all("services")].filter(([, object]) => isMirror(object));
  const [key] = mirrors[which % Math.max(1, mirrors.length)] ?? [];
  if (key === undefined) return;
  if (by === "delete") server.delete("services", key);
  else if (by === "delete endpoints") server.delete("endpoints", key);
  else
    server.edit("services", key, (live) => ({
      ...live,
      metadata: {
        ...live.metadata,
        annotations: { ...live.metadata.annotations, [annotation.remoteName]: "x" },
      },
      spec: { ...(live.spec as object), ports: [{ name: "http", port: 9, protocol: "TCP" }] },
    }));
}
