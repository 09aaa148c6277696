import { Clusters } from "../../../engine/mirroring/observe/clusters.ts";
import type { ConnectOptions } from "../../../engine/kubernetes/client/interface.ts";
import { dispatcherFor } from "../../../engine/kubernetes/client/dispatcher.ts";
import { WantedHere } from "../../../engine/mirroring/reconcile/wanted-here.ts";
import type { MirrorsArgs } from "../../../engine/mirroring/model/state.ts";
import { ApiServer } from "../../simulation/api-server.ts";
import { SimulatedEngine } from "../../simulation/engine.ts";
import { writeKubeconfig } from "../../unit/kubernetes/scripted-cluster.ts";
import { endpoints, exported, headless, pods, service } from "../../unit/fixtures/objects.ts";
import { argsFor, gatewayService } from "../../unit/fixtures/world.ts";
import { put } from "../answers/mesh.ts";
import { HostileServer } from "./server.ts";
import path from "node:path";

/** Patience for servers on this machine, and bounds that are quickly reached. */
const limits: ConnectOptions = {
  ...{ connections: 4, connectTimeout: 1_000, requestTimeout: 150, listTimeout: 1_000 },
  retry: {
    working: { attempts: 2, within: 400 },
    connecting: { attempts: 1, within: 300 },
    backoff: { first: 1, longest: 5 },
  },
  sizeLimits: { answer: 2 ** 20, items: 2_000, list: 2 ** 22 },
};

/** What a run has said and how it has ended. */
export interface Told {
  readonly failure: string | undefined;
  readonly lines: readonly string[];
  readonly state: string;
}

/**
 * A stack that mirrors from west, which is hostile, and from north, which is not, into east. All that is
 * in one process with the engine, but for the TLS connections to west.
 */
export class HostileMesh {
  readonly west: HostileServer;
  readonly servers: ReadonlyMap<string, ApiServer>;
  readonly args: MirrorsArgs;
  readonly engine = new SimulatedEngine();

  private constructor(
    west: HostileServer,
    servers: ReadonlyMap<string, ApiServer>,
    args: MirrorsArgs,
  ) {
    this.west = west;
    this.servers = servers;
    this.args = args;
  }

  static async start(): Promise<HostileMesh> {
    const servers = new Map(["east", "west", "north"].map((name) => [name, new ApiServer(name)]));
    const [east, api, north] = [...servers.values()];
    if (east === undefined || api === undefined || north === undefined) throw new Error("no mesh");
    east.put("namespaces", { metadata: { name: "shop" } });
    for (const [name, server] of [
      ["west", api],
      ["north", north],
    ] as const) {
      put(server, "services", gatewayService(name));
      put(server, "services", exported(`shop/web`));
      put(server, "services", headless("shop/db"));
      put(server, "endpoints", endpoints("shop/db", [pods(["db-0"])]));
      put(
        server,
        "services",
        service("shop/cart", { labels: { "mirror.linkerd.io/federated": "member" } }),
      );
    }
    const west = await HostileServer.start(api, "west");
    const folder = path.dirname(west.kubeconfig);
    const access = async (name: string) => {
      const entries = {
        cluster: { server: `https://${name}.test` },
        user: { token: `token-of-${name}` },
      };
      return [
        name,
        {
          context: name,
          kubeconfig: await writeKubeconfig(path.join(folder, name), name, entries),
        },
      ] as const;
    };
    const args = argsFor(
      [
        { target: "west", headless: true, maxMirrors: 20, allowDeletions: true },
        { target: "north", headless: true },
      ],
      {
        clusters: {
          ...Object.fromEntries(await Promise.all(["east", "north"].map(access))),
          west: { context: "west", kubeconfig: west.kubeconfig },
        },
      },
    );
    return new HostileMesh(west, servers, args);
  }

  server(name: string): ApiServer {
    const found = this.servers.get(name);
    if (found === undefined) throw new Error(`there is no cluster ${name}`);
    return found;
  }

  /** How a process of this stack connects. */
  get connecting(): ConnectOptions {
    return {
      ...limits,
      dispatcher: (route) => {
        const name = route.server.hostname.replace(/\.test$/, "");
        return this.servers.get(name) ?? dispatcherFor(route);
      },
    };
  }

  /** An operation with a process of its own. */
  async run(operation: "preview" | "up" | "refresh" | "destroy"): Promise<Told> {
    const clusters = new Clusters(this.connecting);
    const lines: string[] = [];
    const process = {
      clusters,
      wanted: new WantedHere(),
      say: (line: string) => void lines.push(line),
    };
    const wanted = new Map([["east", { ...this.args }]]);
    const work =
      operation === "preview" || operation === "up"
        ? this.engine[operation](wanted, process).then((steps) => JSON.stringify(steps))
        : this.engine[operation](process).then(() => "");
    try {
      const shown = await work;
      return { failure: undefined, lines, state: shown + this.#state };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      return { failure, lines, state: this.#state };
    } finally {
      await clusters.close({ context: "west", kubeconfig: this.west.kubeconfig });
    }
  }

  get #state(): string {
    return JSON.stringify([...this.engine.state]);
  }

  async stop(): Promise<void> {
    await this.west.stop();
  }
}
