import assert from "node:assert/strict";

import { gatewayService, namespace } from "../../unit/fixtures/objects.ts";
import { annotation, label } from "../../../engine/mirroring/model/vocabulary.ts";
import type { ApiServer, Stored } from "../../simulation/api-server.ts";
import type { Held } from "../../simulation/engine.ts";
import { type Ended, Mesh, type FaultPlans } from "../../simulation/mesh.ts";
import { contentsOf, isMirror, managersOf, trespasses } from "../../simulation/outcome.ts";
import {
  type Action,
  type ClusterName,
  clusterNames,
  type Edit,
  links,
  type RequestFault,
} from "./actions.ts";
import { expectNoSecret } from "../answers/cell.ts";
import { announced } from "./announced.ts";
import { dropService, firstShape, putService, type Shape } from "./shape.ts";

/**
 * Clusters, links and a stack, and all that happens to them, in the order in which it happens. After
 * each operation it is held to what holds for every one of them.
 */
export class History {
  readonly mesh: Mesh;
  readonly #shapes = new Map<string, Shape>();
  readonly #names = new Map<ClusterName, string>();
  readonly #present = new Set<number>(links.map((_link, index) => index));
  readonly #lost = new Set<ClusterName>();
  /** Links that a run has begun to mirror and did not live to note in the state. */
  readonly #unknown = new Set<number>();
  /** What operations have left, oldest first. */
  readonly #states: ReadonlyMap<string, Held>[] = [new Map()];
  #settings: Readonly<Record<string, unknown>> = {};
  #isSwapped = false;

  constructor() {
    this.mesh = new Mesh(clusterNames, {});
    for (const [index, name] of clusterNames.entries()) {
      const server = this.mesh.server(name);
      server.put("services", gatewayService(name, `192.0.2.${index + 1}`));
      server.put("namespaces", namespace("shop"));
      // In the way of a mirror, and beside them.
      const spec = { ports: [{ port: 1 }] };
      for (const foreign of ["mine", "taken-west"])
        server.put("services", { metadata: { namespace: "shop", name: foreign }, spec });
      server.journal.length = 0;
    }
    this.#configure();
  }

  async take(action: Action): Promise<void> {
    switch (action.do) {
      case "change":
        this.#change(action.cluster, action.service, action.to);
        break;
      case "drop":
        this.#drop(action.cluster, action.service);
        break;
      case "link":
        if (this.#unknown.has(action.link)) break;
        if (!this.#present.delete(action.link)) this.#present.add(action.link);
        break;
      case "set":
        this.#settings = { ...this.#settings, ...action.to };
        break;
      case "rename":
        this.#rename(action.cluster, action.to);
        break;
      case "lose":
        if (!this.#lost.delete(action.cluster)) this.#lost.add(action.cluster);
        break;
      case "swap":
        this.#isSwapped = !this.#isSwapped;
        break;
      case "edit":
        for (const name of clusterNames) edit(this.mesh.server(name), action.with);
        break;
      case "up":
        await this.#up(action.requestFault);
        break;
      case "import":
        this.#import(action.which);
        break;
      case "preview --refresh": {
        const state = new Map(this.mesh.engine.state);
        await this.#held(() => this.mesh.refresh(this.#plans(action.requestFault)));
        await this.#held(() => this.mesh.preview(this.#plans()));
        this.mesh.engine.restore(state);
        break;
      }
      case "up --refresh":
        await this.#held(() => this.mesh.refresh(this.#plans(action.requestFault)));
        await this.#up(action.requestFault);
        break;
      case "refresh":
        await this.#held(() => this.mesh.refresh(this.#plans(action.requestFault)));
        break;
      case "destroy":
        await this.#held(() => this.mesh.destroy(this.#plans(action.requestFault)), false);
        break;
    }
  }

  /** Everything is there and answers, and nobody but this stack mirrors anything. */
  heal(): void {
    this.#settings = { ...this.#settings, allowDeletions: true };
    this.#lost.clear();
    this.#isSwapped = false;
    for (const [key, shape] of this.#shapes) {
      const [cluster = "", service = ""] = key.split("/");
      // Without any pods nothing is known of a headless Service, and a mirror of it stays as it is.
      const replicas = Math.max(1, shape.replicas);
      this.#change(cluster as ClusterName, service, { ...shape, away: [], replicas });
    }
    this.#configure();
  }

  /** Runs until nothing is left to do, which must not take long, and then nothing is written. */
  async settle(): Promise<void> {
    for (let run = 1; ; run += 1) {
      const { failure, writes } = await this.#up();
      assert.equal(failure, undefined);
      if (writes.length === 0) break;
      assert.ok(run < 4, `run ${run} still writes ${writes.join(", ")}`);
    }
    // As `--expect-no-changes` has it, with and without a refresh.
    for (const isRefreshed of [false, true]) {
      if (isRefreshed) await this.#held(() => this.mesh.refresh());
      const { steps } = await this.mesh.preview();
      assert.deepEqual(
        steps.flatMap(({ name, changes }) => (changes ? [name] : [])),
        [],
      );
    }
  }

  /** The mirrors that a new stack makes of the clusters as they are, if there are none yet. */
  async fromScratch(): Promise<Record<string, unknown>> {
    const scratch = this.mesh.copy();
    scratch.engine.restore(new Map());
    for (const server of scratch.servers.values())
      for (const plural of ["services", "endpoints"])
        for (const [key, object] of server.all(plural))
          if (isMirror(object)) server.delete(plural, key);
    for (let run = 1; run <= 2; run += 1) assert.equal((await scratch.up()).failure, undefined);
    return mirrorsIn(scratch);
  }

  #change(cluster: ClusterName, service: string, to: Partial<Shape>): void {
    const key = `${cluster}/${service}`;
    const before = this.#shapes.get(key);
    const shape = { ...firstShape, ...before, ...to };
    this.#shapes.set(key, shape);
    putService(this.mesh.server(cluster), service, { before, shape });
  }

  #drop(cluster: ClusterName, service: string): void {
    this.#shapes.delete(`${cluster}/${service}`);
    dropService(this.mesh.server(cluster), service);
  }

  /** A name that another cluster has stays with that one. */
  #rename(cluster: ClusterName, to: string): void {
    if ([...this.#unknown].some((link) => links[link]?.target === cluster)) return;
    const others = clusterNames.filter((name) => name !== cluster);
    if (!others.some((other) => this.#nameOf(other) === to)) this.#names.set(cluster, to);
  }

  /** What the preview before it says is what is written, and under faults nothing else is deleted. */
  async #up(requestFault?: RequestFault): Promise<Ended & { readonly writes: readonly string[] }> {
    this.#configure();
    const isQuiet = this.#lost.size === 0 && !this.#isSwapped;
    const preview = isQuiet ? await this.mesh.preview() : undefined;
    const expected =
      preview?.failure === undefined ? preview && announced(this.mesh, preview.steps) : undefined;
    const ended = await this.#held(() => this.mesh.up(this.#plans(requestFault)));
    if (preview?.failure !== undefined) return { ...ended, failure: preview.failure };
    this.#noteUnknown();
    if (expected === undefined) return ended;
    const isMeant = (write: string) => requestFault === undefined || write.startsWith("delete ");
    const writes = ended.writes.filter(isMeant).map((write) => write.replace(/^\w+ \w+ /, ""));
    assert.deepEqual(
      [...new Set(writes)].sort(),
      requestFault === undefined ? expected : expected.filter((key) => writes.includes(key)),
      "what is written is not what was announced",
    );
    return ended;
  }

  /**
   * After a run. The config of a link's first run has to stay until one has succeeded (docs/explanation/guarantees.md,
   * "What is not guaranteed"), so nobody removes or renames these.
   */
  #noteUnknown(): void {
    for (const [index, { source, target }] of links.entries()) {
      const { links: known = [] } = (this.mesh.engine.state.get(this.#nameOf(source))?.inputs ??
        {}) as { readonly links?: readonly { readonly target: string }[] };
      if (known.some((link) => link.target === this.#nameOf(target))) this.#unknown.delete(index);
      else if (this.#present.has(index)) this.#unknown.add(index);
    }
  }

  /**
   * An earlier state must know of each link that has mirrors, or the config still has to: of others nobody
   * remembers anything.
   */
  #import(which: number): void {
    const state = this.#states[which % this.#states.length] ?? assert.fail();
    const known = new Set(knownLinks(state));
    for (const index of this.#present) {
      const { source, target } = links[index] ?? assert.fail();
      known.add(`${this.#nameOf(source)}/${this.#nameOf(target)}`);
    }
    if (!knownLinks(this.mesh.engine.state).every((link) => known.has(link))) return;
    this.mesh.engine.restore(state);
    this.#noteUnknown();
  }

  /** How many of its mirrors one run may delete by what the state remembers; undefined: any number. */
  #mostDeletions(source: string, target: string): number | undefined {
    const { allowDeletions = true, maxDeletions = "50%" } = this.#settings;
    if (allowDeletions === true) return undefined;
    const isPresent = links.some(
      (link, index) =>
        this.#present.has(index) && link.source === source && this.#nameOf(link.target) === target,
    );
    const state = this.mesh.engine.state.get(this.#nameOf(source as ClusterName));
    const { links: had = [], removedLinks = [] } = (state?.inputs ?? {}) as Known;
    const former = [...had, ...removedLinks].find((link) => link.target === target);
    const most = isPresent ? maxDeletions : (former?.maxDeletions ?? "50%");
    return typeof most === "number" ? most : undefined;
  }

  /** Does one operation, and holds it to what holds for all. */
  async #held(
    operation: () => Promise<Ended>,
    isGuarded = true,
  ): Promise<Ended & { readonly writes: readonly string[] }> {
    this.#configure();
    const marks = clusterNames.map((name) => this.mesh.server(name).journal.length);
    const most = new Map(
      clusterNames.flatMap((source) =>
        [...clusterNames, "another"].map(
          (target) => [`${source}/${target}`, this.#mostDeletions(source, target)] as const,
        ),
      ),
    );
    const ended = await operation();
    this.#states.push(new Map(this.mesh.engine.state));
    // Minutes, not hours.
    assert.ok(ended.waited <= 600_000, `waited for ${ended.waited} ms`);
    assert.ok(ended.requests <= 1_000, `${ended.requests} requests`);
    expectNoSecret(ended, this.mesh);
    const writes = clusterNames.flatMap((name, index) => {
      const server = this.mesh.server(name);
      this.#holdDeletions(name, server.journal.slice(marks[index]), isGuarded ? most : new Map());
      assert.deepEqual(trespasses(server), []);
      for (const key of ["shop/mine", "shop/taken-west"])
        assert.equal(server.get("services", key)?.metadata.labels, undefined);
      return server.journal
        .slice(marks[index])
        .filter(({ by }) => by === "linkerd-multicluster")
        .map(({ verb, plural, key }) => `${verb} ${plural} ${key} in ${name}`);
    });
    return { ...ended, writes };
  }

  /** What has left the config goes by its mark alone, and no guard is passed by. */
  #holdDeletions(
    source: ClusterName,
    entries: ApiServer["journal"],
    most: ReadonlyMap<string, number | undefined>,
  ): void {
    const server = this.mesh.server(source);
    const gone = entries.flatMap(({ by, verb, plural, key, before }) =>
      by === "linkerd-multicluster" &&
      verb === "delete" &&
      plural === "services" &&
      before !== undefined &&
      !server.all("services").has(key)
        ? [{ key, before }]
        : [],
    );
    const counts = new Map<string, number>();
    for (const { key, before } of gone) {
      const link = `${source}/${clusterOf(before) ?? ""}`;
      counts.set(link, (counts.get(link) ?? 0) + 1);
      const isWanted = links.some(
        (each, index) =>
          each.source === source &&
          this.#present.has(index) &&
          this.#nameOf(each.target) === clusterOf(before),
      );
      assert.ok(isWanted || isMarked(before), `${key} in ${source} was others'`);
    }
    for (const [link, count] of counts)
      assert.ok(count <= (most.get(link) ?? Infinity), `${count} mirrors of ${link} went`);
  }

  #configure(): void {
    const names = clusterNames.map((name) => this.#nameOf(name));
    const contexts = clusterNames.map((name) => ({ context: name, uid: `uid-of-${name}` }));
    this.mesh.contexts.clear();
    if (this.#isSwapped) {
      this.mesh.contexts.set("west", "north");
      this.mesh.contexts.set("north", "west");
    }
    this.mesh.config = {
      clusters: Object.fromEntries(names.map((name, index) => [name, contexts[index]])),
      links: links.flatMap(({ source, target }, index) =>
        this.#present.has(index)
          ? [{ source: this.#nameOf(source), target: this.#nameOf(target) }]
          : [],
      ),
      linkDefaults: {
        headless: true,
        createNamespaces: true,
        allowDeletions: true,
        ...this.#settings,
      },
    };
  }

  #nameOf(cluster: ClusterName): string {
    return this.#names.get(cluster) ?? cluster;
  }

  #plans(requestFault?: RequestFault): FaultPlans {
    return (context) => {
      const cluster = this.mesh.contexts.get(context) ?? context;
      return (request) => {
        if (this.#lost.has(cluster as ClusterName)) return "reset";
        if (requestFault === undefined) return undefined;
        const { at, length, fault } = requestFault;
        const isMeant = request.ofAll >= at && request.ofAll < at + length;
        return isMeant ? fault(request, cluster, this.mesh) : undefined;
      };
    };
  }
}

function edit(server: ApiServer, { which, by }: Edit): void {
  const mirrors = [...server.all("services")].filter(([, object]) => isMirror(object));
  const [key] = mirrors[which % Math.max(1, mirrors.length)] ?? [];
  if (key === undefined) return;
  if (by === "delete") server.delete("services", key);
  else if (by === "delete endpoints") server.delete("endpoints", key);
  else
    server.edit("services", key, {
      metadata: { annotations: { [annotation.remoteName]: "x" } },
      spec: { ports: [{ name: "http", port: 9, protocol: "TCP" }] },
    });
}

interface Known {
  readonly links?: readonly { readonly target: string; readonly maxDeletions?: unknown }[];
  readonly removedLinks?: Known["links"];
}

function knownLinks(state: ReadonlyMap<string, Held>): string[] {
  return [...state].flatMap(([source, held]) =>
    [held.inputs, held.outputs].flatMap((values) => {
      const { links = [], removedLinks = [] } = values as Known;
      return [...links, ...removedLinks].map(({ target }) => `${source}/${target}`);
    }),
  );
}

function clusterOf({ metadata }: Stored): string | undefined {
  return metadata.labels?.[label.cluster];
}

function isMarked(object: Stored): boolean {
  return managersOf(object).some((manager) => manager.startsWith("linkerd-multicluster/"));
}

/** The mirrors of each cluster, as they are. */
export function mirrorsIn({ servers }: Mesh): Record<string, unknown> {
  return Object.fromEntries(
    [...servers].map(([name, server]) => {
      const { services = {}, endpoints = {} } = contentsOf(server);
      const keys = [...server.all("services")].flatMap(([key, object]) =>
        isMirror(object) ? [key] : [],
      );
      const mirrors = keys.sort().map((key) => [key, [services[key], endpoints[key]]] as const);
      return [name, Object.fromEntries(mirrors)];
    }),
  );
}
