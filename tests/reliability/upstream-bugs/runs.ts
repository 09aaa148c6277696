import type { Endpoints, ObjectKey, Service } from "../../../engine/kubernetes/objects.ts";
import type { Before, Inputs, MirrorsArgs } from "../../../engine/mirroring/model/state.ts";
import { MemoryCluster } from "../../unit/fixtures/memory-cluster.ts";
import { cluster } from "../../unit/fixtures/objects.ts";
import { argsFor, exporting, mirrorsIn, up } from "../../unit/fixtures/world.ts";

type Contents = NonNullable<Parameters<typeof exporting>[2]>;

/** A target with a gateway, by what it exports and the Endpoints of that. */
export function target(
  name: string,
  services: readonly Service[],
  ...endpoints: Endpoints[]
): MemoryCluster {
  const contents: Contents = endpoints.length > 0 ? { endpoints } : {};
  return new MemoryCluster(exporting(name, services, contents));
}

/** Run after run into `east`, each in a process of its own and with the state of the one before. */
export class Runs {
  readonly east: MemoryCluster;
  #targets: Readonly<Record<string, MemoryCluster>> = {};
  #before: Before = {};

  constructor(
    east: MemoryCluster = new MemoryCluster(cluster("east", { namespaces: ["shop", "bank"] })),
  ) {
    this.east = east;
  }

  get clusters(): Readonly<Record<string, MemoryCluster>> & { readonly east: MemoryCluster } {
    return { ...this.#targets, east: this.east };
  }

  get before(): Before {
    return this.#before;
  }

  /** A run that has to succeed, once these targets have come to be so. */
  async up(targets: readonly MemoryCluster[], args: MirrorsArgs = toWest()): Promise<Inputs> {
    const changed = targets.map((memory) => [memory.cluster, memory] as const);
    this.#targets = { ...this.#targets, ...Object.fromEntries(changed) };
    const inputs = await up(this.clusters, args, this.#before);
    this.#before = inputs;
    return inputs;
  }

  /** Keys of the mirrors that there are. */
  mirrors(): Promise<string[]> {
    return mirrorsIn(this.east);
  }

  /** @throws Error if there is none */
  async service(key: ObjectKey): Promise<Service> {
    const { services } = await this.east.snapshot();
    return found(services.get(key), key);
  }

  /** @throws Error if there are none */
  async endpoints(key: ObjectKey): Promise<Endpoints> {
    const { endpoints } = await this.east.snapshot();
    return found(endpoints.get(key), key);
  }

  /** Where a mirror leads: `192.0.2.10:4143`, `db-0=10.96.1.7:8080`; only what is ready counts. */
  async leadsTo(key: ObjectKey): Promise<string[]> {
    const { subsets = [] } = await this.endpoints(key);
    return subsets.flatMap(({ addresses = [], ports = [] }) =>
      addresses.flatMap(({ ip, hostname }) =>
        ports.map(({ port }) => `${hostname === undefined ? "" : `${hostname}=`}${ip}:${port}`),
      ),
    );
  }
}

type LinkOptions = Omit<Exclude<Parameters<typeof argsFor>[0][number], string>, "target">;

/** The link by which Services of `west` appear in `east`. */
export function toWest(options: LinkOptions = {}, rest: Partial<MirrorsArgs> = {}): MirrorsArgs {
  return argsFor([{ target: "west", ...options }], rest);
}

function found<T>(object: T | undefined, key: ObjectKey): T {
  if (object === undefined) throw new Error(`there is no ${key}`);
  return object;
}
