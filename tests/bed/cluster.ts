import { randomBytes } from "node:crypto";

import { UserError } from "@linkerd-multicluster/engine/base";
import {
  type ApiServerSpec,
  apiServerReady,
  auditLogFile,
  prepareApiServer,
  startApiServer,
} from "./api-server.ts";
import { UNRECORDED } from "./audit.ts";
import { nodeOf, type Runs, startControllers } from "./controllers.ts";
import { until } from "./processes.ts";
import { type Access, type HttpAnswer, type Method, request } from "./request.ts";
import type { Toolbox } from "./tools.ts";
import type { Watchdog } from "./watchdog.ts";

export interface BedCluster {
  readonly name: string;
  readonly server: string;
  /** It has the rights of an administrator. */
  readonly access: Access;
  readonly auditLog: string;
  /** Sends a request of the bed itself, which `requestsOf` does not count. */
  readonly request: (method: Method, path: string, body?: unknown) => Promise<HttpAnswer>;
  /** Makes its API server unreachable: connections are refused, or accepted and never answered. */
  readonly cut: (how?: "refused" | "silent") => Promise<void>;
  /** Returns once the cluster is ready again with everything it held, or at once if it was not cut off. */
  readonly restore: () => Promise<void>;
}

const ADMINISTRATOR = "admin";

export async function startCluster(
  spec: Omit<ApiServerSpec, "path" | "tokens"> & { readonly runs: Runs },
  tools: Toolbox,
  watchdog: Watchdog,
  addNode: (access: Access) => Promise<void>,
): Promise<BedCluster> {
  const { name, folder } = spec;
  const users = [ADMINISTRATOR, ...Object.values(UNRECORDED)];
  const tokens = new Map(users.map((user) => [user, randomBytes(24).toString("base64url")]));
  const server: ApiServerSpec = { ...spec, path: tools["kube-apiserver"], tokens };
  await prepareApiServer(server);
  let program = startApiServer(server, watchdog);
  const own = await apiServerReady(server, tokens.get(UNRECORDED.bed) ?? "", program);
  const controllers = await startControllers({ ...spec, access: own, tokens }, tools, watchdog);
  if (spec.runs === "pods") await pretendNode(name, own);
  if (spec.runs === "nodes") await addNode({ ...own, token: tokens.get(UNRECORDED.node) ?? "" });
  await until(`the controllers of ${name}`, [program, ...controllers], () =>
    isComplete(own, spec.runs),
  );

  let state: "up" | "refused" | "silent" = "up";
  return {
    name,
    server: own.server,
    access: { ...own, token: tokens.get(ADMINISTRATOR) ?? "" },
    auditLog: auditLogFile(folder),
    request: (method, path, body) => request(own, method, path, body),
    async cut(how = "refused") {
      if (state !== "up") throw new Error(`${name} is cut off already.`);
      state = how;
      if (how === "silent") await program.freeze();
      else await program.end();
    },
    async restore() {
      if (state === "up") return;
      if (state === "silent") program.thaw();
      if (state === "refused") program = startApiServer(server, watchdog);
      state = "up";
      await apiServerReady(server, own.token, program);
    },
  };
}

/** Kwok keeps this node ready and lets all pods run there. Charts select by the labels that a kubelet would give it. */
async function pretendNode(cluster: string, access: Access): Promise<void> {
  const name = nodeOf(cluster);
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" };
  const node = { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
  const { code, body } = await request(access, "POST", "/api/v1/nodes", node);
  if (code !== 201) throw new UserError(`${cluster} takes no node: ${JSON.stringify(body)}`);
}

/** Tells whether the cluster accepts objects like one that has run for a while. */
async function isComplete(access: Access, runs: Runs): Promise<true | undefined> {
  const namespace = "/api/v1/namespaces/default";
  const last = runs === "nothing" ? namespace : `${namespace}/serviceaccounts/default`;
  if ((await request(access, "GET", last)).code !== 200) return undefined;
  if (runs !== "pods" && runs !== "nodes") return true;
  const { body } = await request(access, "GET", "/api/v1/nodes");
  const { items } = body as {
    items: { status: { conditions?: { type: string; status: string }[] } }[];
  };
  const conditions = items.flatMap(({ status }) => status.conditions ?? []);
  return conditions.some(({ type, status }) => type === "Ready" && status === "True") || undefined;
}
