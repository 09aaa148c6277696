import { resultOf } from "@linkerd-multicluster/engine/base";
import { Clusters } from "@linkerd-multicluster/engine/check";
import { type Progress, progressIn } from "@linkerd-multicluster/engine/restarts";
import { columns } from "../output.ts";
import type { StackState } from "../stack/stack-state.ts";

/** Returns a table of what a rotation can rely on in each cluster, and "" before the first run. */
export async function provenIn({
  mesh,
  restarts,
}: Pick<StackState, "mesh" | "restarts">): Promise<string> {
  if (mesh === undefined) return "";
  const { linkerdNamespace } = mesh;
  const clusters = new Clusters();
  const found = Object.entries(mesh.clusters).map(async ([name, access]) => {
    const progress = await resultOf(async () => {
      const client = await clusters.client(name, access);
      return progressIn(client, { linkerdNamespace, ...restarts }, new Date());
    }, name);
    await clusters.close(access);
    return [name, progress] as const;
  });
  const all = await Promise.all(found);
  const table = columns(
    ["CLUSTER", "ANCHORS", "ISSUER UNDER", "CONTROL PLANE", "OTHER PROXIES"],
    all.map(([name, each]) => [name, ...("why" in each ? unread : cellsOf(each.value))]),
  );
  const whys = all.flatMap(([, each]) => ("why" in each ? [`${each.why}\n`] : []));
  return `What is proven now (pods whose proxies need no restart):\n${table}${whys.join("")}`;
}

const unread = ["?", "?", "?", "?"];

function cellsOf(progress: Progress | undefined): readonly string[] {
  if (progress === undefined) return ["none", "-", "-", "-"];
  const { anchors, issuer, controlPlane, proxies } = progress;
  const short = (prints: readonly string[]) =>
    prints.map((print) => print.slice(0, 12)).join(" ") || "none";
  const pods = [controlPlane, proxies].map(({ current, all }) => `${current} of ${all} pods`);
  return [short(anchors), short(issuer), ...pods];
}
