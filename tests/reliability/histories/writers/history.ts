import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";

import { localMember } from "../../../../engine/model/marks.ts";
import { ApiServer, type Entry, type Stored } from "../../../simulation/api-server.ts";
import type { Ended, FaultPlans } from "../../../simulation/mesh.ts";
import { isMirror } from "../../../simulation/outcome.ts";
import { gatewayService, namespace } from "../../../unit/fixtures/objects.ts";
import {
  clusterNames,
  type ClusterName,
  type Event,
  type Incident,
  type Meanwhile,
  namespaces,
  stackNames,
  targets,
} from "./events.ts";
import { deploy, isDeployed, synchronize } from "./linkerd.ts";
import { announcedDeletions, holdEndpoints, holdWrite, marksOf, missing } from "./rules.ts";
import { Stack } from "./stack.ts";

/** A source that several stacks and Linkerd's controllers write to, and its targets. */
export class WritersHistory {
  readonly #servers = new Map(clusterNames.map((name) => [name, new ApiServer(name)] as const));
  readonly #stacks = stackNames.map((name) => new Stack(name, this.#servers));
  readonly #running = new Set<Stack>();

  constructor() {
    for (const [index, name] of clusterNames.entries()) {
      const server = this.#server(name);
      server.put("services", gatewayService(name, `192.0.2.${index + 1}`));
      for (const each of namespaces) server.put("namespaces", namespace(each));
    }
  }

  async take(event: Event): Promise<void> {
    switch (event.do) {
      case "link": {
        const stack = this.#stack(event.stack);
        if (stack.links.has(event.target)) stack.dropLink(event.target);
        else stack.setLink(event.target, {});
        break;
      }
      case "narrow":
        this.#stack(event.stack).setLink(event.target, { namespace: event.to });
        break;
      case "hand over": {
        const stack = this.#stack(event.stack);
        const isControllers = stack.links.get(event.target)?.isControllers !== true;
        stack.setLink(event.target, { isControllers });
        break;
      }
      case "adopt": {
        const [stack, from] = [this.#stack(event.stack), this.#stack(event.from)];
        const isSet = stack.links.get(event.target)?.adoptFrom !== undefined;
        if (stack !== from)
          stack.setLink(event.target, { adoptFrom: isSet ? undefined : from.lastName });
        break;
      }
      case "rename":
        this.#stack(event.stack).rename();
        break;
      case "restore": {
        const { name, lastName, states, mesh } = this.#stack(event.stack);
        // Only the state has the former names of a stack.
        if (name === lastName)
          mesh.engine.restore(states[event.which % states.length] ?? new Map());
        break;
      }
      case "overlap":
        await this.#run(this.#stack(event.stack), "up", event.meanwhile);
        break;
      default:
        await this.#happen(event);
    }
  }

  /**
   * Stops everybody but the stacks. Each of them then needs one run, and a second one for what others have released.
   */
  async settle(): Promise<void> {
    for (const target of [...targets, "local"] as const) deploy(this.#east, target, undefined);
    for (const stack of this.#stacks) {
      if (stack.links.size === 0) stack.setLink("west", {});
      for (const target of stack.links.keys())
        stack.setLink(target, { isControllers: false, adoptFrom: undefined });
      await this.#run(stack, "up");
    }
    for (const stack of this.#stacks) await this.#run(stack, "up");
    const { length } = this.#east.journal;
    for (const stack of this.#stacks) await this.#run(stack, "up");
    assert.deepEqual(
      this.#east.journal.slice(length).map(({ verb, key }) => `${verb} ${key}`),
      [],
      "a run of each that finds all in order writes",
    );
    for (const stack of this.#stacks) await this.#run(stack, "destroy");
    assert.deepEqual(this.#stacks.flatMap(marksOf), []);
  }

  get #east(): ApiServer {
    return this.#server("east");
  }

  #server(name: ClusterName): ApiServer {
    return this.#servers.get(name) ?? assert.fail(name);
  }

  #stack(number: number): Stack {
    return this.#stacks[number] ?? assert.fail(String(number));
  }

  async #happen(incident: Incident): Promise<void> {
    switch (incident.do) {
      case "service": {
        const { cluster, namespace: home, labels, port } = incident;
        const metadata = { namespace: home, name: "web", labels };
        const server = this.#server(cluster);
        if (labels === undefined) server.delete("services", `${home}/web`);
        else server.put("services", { metadata, spec: { ports: [{ name: "http", port }] } });
        break;
      }
      case "deployment":
        deploy(this.#east, incident.of, incident.replicas);
        break;
      case "linkerd":
        synchronize(
          this.#east,
          incident.of,
          this.#server(incident.of === "local" ? "east" : incident.of),
        );
        break;
      case "delete": {
        const mirrors = [...this.#east.all("services")].filter(([, each]) => isMirror(each));
        const [key] = mirrors[incident.which % Math.max(1, mirrors.length)] ?? [];
        if (key !== undefined) this.#east.delete("services", key);
        break;
      }
      default: {
        const stack = this.#stack(incident.stack);
        // Pulumi runs a stack once at a time.
        if (!this.#running.has(stack)) await this.#run(stack, incident.do);
      }
    }
  }

  /** Runs a stack, and checks what holds for every run. */
  async #run(stack: Stack, kind: "up" | "destroy", meanwhile?: Meanwhile): Promise<void> {
    this.#running.add(stack);
    const { journal } = this.#east;
    const isAlone = this.#running.size === 1 && meanwhile === undefined;
    const hadResource = stack.hasResource;
    const preview = kind === "up" && isAlone ? await stack.mesh.preview() : undefined;
    const [begin, services] = [journal.length, new Map(this.#east.all("services"))];
    const [wantedBefore, deployedBefore] = [stack.wants(), this.#deployed()];
    const others: (readonly [from: number, to: number])[] = [];
    const plans =
      meanwhile &&
      interrupting(meanwhile, async (incident) => {
        const from = journal.length;
        await this.#happen(incident);
        others.push([from, journal.length]);
      });
    const ended = await stack.mesh[kind](plans);
    this.#running.delete(stack);
    stack.states.push(new Map(stack.mesh.engine.state));
    if (kind === "up") stack.lastName = stack.name;
    const wanted = stack.wants();
    const known = {
      // The run may have seen what changed meanwhile, or not.
      wanted: both(wantedBefore, wanted),
      deployed: both(deployedBefore, this.#deployed()),
    };
    for (const [index, entry] of journal.entries()) {
      if (index < begin) continue;
      const isOwn =
        entry.by === "linkerd-multicluster" &&
        !others.some(([from, to]) => index >= from && index < to);
      if (isOwn && entry.plural === "services") holdWrite(stack, entry, known);
      if (isOwn && entry.plural === "endpoints")
        holdEndpoints(stack, entry, services.get(entry.key));
      replay(services, entry);
    }
    if (isAlone) this.#holdOutcome(stack, kind, hadResource, ended);
    if (preview !== undefined && stack.links.size > 0) {
      const deleted = journal
        .slice(begin)
        .flatMap(({ by, verb, plural, key }) =>
          by === "linkerd-multicluster" && verb === "delete" && plural === "services" ? [key] : [],
        );
      assert.deepEqual(deleted.sort(), announcedDeletions(preview.steps), "deleted, announced");
    }
  }

  /** Checks the result of a run that nothing has disturbed. */
  #holdOutcome(
    stack: Stack,
    kind: "up" | "destroy",
    hadResource: boolean,
    { failure }: Ended,
  ): void {
    assert.equal(failure, undefined);
    if (!hadResource) return;
    const wanted = kind === "up" ? stack.wants() : new Set<string>();
    assert.deepEqual(
      marksOf(stack).filter((claim) => !wanted.has(claim)),
      [],
      `${kind} of ${stack.name} leaves what nobody wants`,
    );
    assert.deepEqual(missing(stack, wanted), [], `${kind} of ${stack.name} leaves out`);
  }

  #deployed(): Set<string> {
    const found = [...targets, "local" as const].filter((of) => isDeployed(this.#east, of));
    return new Set(found.map((of) => (of === "local" ? localMember : of)));
  }
}

/** Lets something happen at a request. This request and all later ones wait until it is over. */
function interrupting(
  { before, number, incident }: Meanwhile,
  happen: (incident: Incident) => Promise<void>,
): FaultPlans {
  let left = number;
  let pending: Promise<void> | undefined;
  return () =>
    ({ method }) => {
      if ((method === "GET") === (before === "read")) left -= 1;
      if (left <= 0 && pending === undefined)
        // Requests that are under way arrive first.
        pending = setImmediate().then(() => happen(incident));
      return pending && { delay: () => pending ?? Promise.resolve() };
    };
}

function both(one: ReadonlySet<string>, other: ReadonlySet<string>): Set<string> {
  return new Set([...one].filter((each) => other.has(each)));
}

function replay(services: Map<string, Stored>, { plural, key, after }: Entry): void {
  if (plural !== "services") return;
  if (after === undefined) services.delete(key);
  else services.set(key, after);
}
