import assert from "node:assert/strict";

import type { Held } from "../../simulation/engine.ts";
import type { Ended, Mesh } from "../../simulation/mesh.ts";
import { isMirror, trespasses } from "../../simulation/outcome.ts";
import { expectNoSecret } from "../answers/cell.ts";
import {
  type Action,
  type ClusterName,
  clusterNames,
  links,
  type Operation,
  type RequestFault,
} from "./actions.ts";
import { announced } from "./announced.ts";
import { dueIn, holdDeletions, holdRoutes, type Serving, servingIn } from "./invariants.ts";
import { edit, foreign, mirrorsIn, World } from "./world.ts";

type State = ReadonlyMap<string, Held>;

interface Run extends Ended {
  readonly writes: readonly string[];
}

/** Lets actions happen to a mesh in order, and checks after each operation what holds for every one of them. */
export class History {
  readonly world = new World();
  readonly mesh = this.world.mesh;
  /** Links that a killed run may have begun to mirror without noting them in the state. */
  readonly #unknown = new Set<number>();
  /** The state after each operation, oldest first. */
  readonly #states: State[] = [new Map()];

  async take(action: Action): Promise<void> {
    const world = this.world;
    switch (action.do) {
      case "change":
        world.change(action.cluster, action.service, action.to);
        break;
      case "drop":
        world.drop(action.cluster, action.service);
        break;
      case "link":
        if (this.#unknown.has(action.link)) break;
        if (!world.present.delete(action.link)) world.present.add(action.link);
        break;
      case "set":
        world.settings = { ...world.settings, ...action.to };
        break;
      case "rename":
        if ([...this.#unknown].some((link) => links[link]?.target === action.cluster)) break;
        world.rename(action.cluster, action.to);
        break;
      case "lose":
        world.lose(action.cluster);
        break;
      case "swap":
        world.isSwapped = !world.isSwapped;
        break;
      case "deny":
        world.deny(action.what);
        break;
      case "fail over":
        world.failsOver = !world.failsOver;
        break;
      case "edit":
        for (const name of clusterNames) edit(this.mesh.server(name), action.with);
        break;
      case "import":
        this.#import(action.which);
        break;
      default:
        await this.#run(action.do, action.requestFault);
    }
  }

  /** What a denial holds up is tried by each run, and no run writes the same again. */
  async holdStill(): Promise<void> {
    if (!this.world.isDenied) return;
    for (let run = 1; run <= 3; run += 1) await this.#up();
    const { writes } = await this.#up();
    assert.deepEqual(writes, [], "a run that can't progress writes");
  }

  /** Runs until nothing is left to do, which takes few runs. After that, neither a run nor a refresh finds a change. */
  async settle(): Promise<void> {
    for (let run = 1; ; run += 1) {
      const { failure, writes } = await this.#up();
      assert.equal(failure, undefined);
      if (writes.length === 0) break;
      assert.ok(run < 4, `run ${run} still writes ${writes.join(", ")}`);
    }
    for (const isRefreshed of [false, true]) {
      if (isRefreshed) await this.#held(() => this.mesh.refresh());
      const { steps } = await this.mesh.preview();
      assert.deepEqual(
        steps.flatMap(({ name, changes }) => (changes ? [name] : [])),
        [],
      );
    }
  }

  /** Returns the mirrors that a new stack creates in these clusters if none exist. */
  async fromScratch(): Promise<Record<string, unknown>> {
    return mirrorsIn(await this.#scratch());
  }

  async #scratch(): Promise<Mesh> {
    const scratch = this.mesh.copy();
    scratch.engine.restore(new Map());
    for (const server of scratch.servers.values())
      for (const plural of ["services", "endpoints"])
        for (const [key, object] of server.all(plural))
          if (isMirror(object)) server.delete(plural, key);
    for (let run = 1; run <= 2; run += 1) assert.equal((await scratch.up()).failure, undefined);
    return scratch;
  }

  async #run(operation: Operation, requestFault?: RequestFault): Promise<void> {
    const plans = this.world.plans(requestFault);
    const state = new Map(this.mesh.engine.state);
    if (operation.includes("refresh")) await this.#held(() => this.mesh.refresh(plans));
    if (operation === "up --target") {
      const east = this.world.nameOf("east");
      await this.#held(() => this.mesh.upOnly(east, plans));
    } else if (operation.startsWith("up")) await this.#up(requestFault);
    if (operation === "destroy") await this.#held(() => this.mesh.destroy(plans), false);
    if (operation === "preview --refresh") {
      await this.#held(() => this.mesh.preview(this.world.plans()));
      this.mesh.engine.restore(state);
    }
  }

  /** Runs an update, which writes what its preview announces. Under faults, it deletes nothing else. */
  async #up(requestFault?: RequestFault): Promise<Run> {
    this.world.configure();
    const preview = this.world.isQuiet ? await this.mesh.preview() : undefined;
    const expected =
      preview?.failure === undefined ? preview && announced(this.mesh, preview.steps) : undefined;
    const ended = await this.#held(() => this.mesh.up(this.world.plans(requestFault)));
    if (preview?.failure !== undefined) return { ...ended, failure: preview.failure };
    this.#noteUnknown();
    if (expected === undefined) return ended;
    const isUnchanged = ended.failure === undefined && !ended.steps.some(({ changes }) => changes);
    if (isUnchanged && requestFault === undefined)
      assert.deepEqual(await dueIn(this.mesh), [], "a run that finds no change leaves this due");
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
   * The config of a link must stay until its first run has succeeded (docs/explanation/guarantees.md, "What is not
   * guaranteed"), so nobody removes or renames these links.
   */
  #noteUnknown(): void {
    for (const [index, { source, target }] of links.entries()) {
      const { links: known = [] } = this.#inputsOf(source);
      const name = this.world.nameOf(target);
      if (known.some((link) => link.target === name)) this.#unknown.delete(index);
      else if (this.world.present.has(index)) this.#unknown.add(index);
    }
  }

  /** Imports an earlier state if it or the config has each link that the current state has. */
  #import(which: number): void {
    const state = this.#states[which % this.#states.length] ?? assert.fail();
    const known = new Set(knownLinks(state));
    for (const index of this.world.present) {
      const { source, target } = links[index] ?? assert.fail();
      known.add(`${this.world.nameOf(source)}/${this.world.nameOf(target)}`);
    }
    if (!knownLinks(this.mesh.engine.state).every((link) => known.has(link))) return;
    this.mesh.engine.restore(state);
    this.#noteUnknown();
  }

  #inputsOf(source: ClusterName): Known {
    return this.mesh.engine.state.get(this.world.nameOf(source))?.inputs ?? {};
  }

  /** Returns how many mirrors of a link one run may delete. Undefined means any number. */
  #mostDeletions(source: ClusterName, target: string): number | undefined {
    const { allowDeletions = true, maxDeletions = "50%" } = this.world.settings;
    if (allowDeletions === true) return undefined;
    const { links: had = [], removedLinks = [] } = this.#inputsOf(source);
    const former = [...had, ...removedLinks].find((link) => link.target === target);
    const ofFormer = former?.maxDeletions ?? "50%";
    const most = this.world.hasLink(source, target) ? maxDeletions : ofFormer;
    return typeof most === "number" ? most : undefined;
  }

  /** Does one operation, and checks what holds for all of them. */
  async #held(operation: () => Promise<Ended>, isGuarded = true): Promise<Run> {
    this.world.configure();
    const before = clusterNames.map((name) => ({
      name,
      mark: this.mesh.server(name).journal.length,
      serving: servingIn(this.mesh.server(name)),
      most: new Map(
        [...clusterNames, "another"].map(
          (target) => [target, isGuarded ? this.#mostDeletions(name, target) : undefined] as const,
        ),
      ),
    }));
    const ended = await operation();
    this.#states.push(new Map(this.mesh.engine.state));
    // It must end within minutes.
    assert.ok(ended.waited <= 600_000, `waited for ${ended.waited} ms`);
    assert.ok(ended.requests <= 1_000, `${ended.requests} requests`);
    expectNoSecret(ended, this.mesh);
    if (isGuarded && ended.failure !== undefined && !this.world.isSwapped)
      await this.#holdServing(new Map(before.map(({ name, serving }) => [name, serving])));
    const writes = before.flatMap(({ name, mark, most }) => {
      const server = this.mesh.server(name);
      const entries = server.journal.slice(mark).filter(({ by }) => by === "linkerd-multicluster");
      const hasLink = (target: string) => this.world.hasLink(name, target);
      holdDeletions(server, entries, most, hasLink);
      holdRoutes(server, entries);
      assert.deepEqual(trespasses(server), []);
      for (const key of foreign)
        assert.equal(server.get("services", key)?.metadata.labels, undefined);
      return entries.map(({ verb, plural, key }) => `${verb} ${plural} ${key} in ${name}`);
    });
    return { ...ended, writes };
  }

  /** After a run that failed, what was served and what a new stack would serve is still served. */
  async #holdServing(before: ReadonlyMap<string, ReadonlyMap<string, Serving>>): Promise<void> {
    const lost = [...before].flatMap(([name, serving]) => {
      const now = servingIn(this.mesh.server(name));
      return [...serving].flatMap(([key, { target }]) =>
        now.has(key) || !this.world.hasLink(name, target) ? [] : [{ name, key }],
      );
    });
    if (lost.length === 0) return;
    const scratch = await this.#scratch();
    for (const { name, key } of lost)
      assert.ok(!servingIn(scratch.server(name)).has(key), `${name} lost ${key}`);
  }
}

interface Known {
  readonly links?: readonly { readonly target: string; readonly maxDeletions?: unknown }[];
  readonly removedLinks?: Known["links"];
}

function knownLinks(state: State): string[] {
  return [...state].flatMap(([source, held]) =>
    [held.inputs, held.outputs].flatMap((values) => {
      const { links = [], removedLinks = [] } = values as Known;
      return [...links, ...removedLinks].map(({ target }) => `${source}/${target}`);
    }),
  );
}
