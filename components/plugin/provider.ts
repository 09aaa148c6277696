import { readFile } from "node:fs/promises";
import * as pulumi from "@pulumi/pulumi";
import * as engine from "@linkerd-multicluster/engine";
import { pluginTypes, servedBy } from "../engine-resource.ts";
import { checkedMesh } from "../checked-mesh.ts";
import type { MeshArgs } from "../mesh-args.ts";
import { Mesh, meshType } from "../mesh.ts";
import { withStack } from "@linkerd-multicluster/engine/base";

type Props = engine.Props;

/** Serves the component's resources with the same methods as the dynamic provider of a Node program. */
export class MeshProvider implements pulumi.provider.Provider {
  readonly version: string;

  constructor(version: string) {
    this.version = version;
  }

  /** `npm run docs` writes it. */
  getSchema(): Promise<string> {
    return readFile(new URL("../../schema.json", import.meta.url), "utf8");
  }

  /** @throws RunError with every mistake in the arguments, or with what fails the run once it has done everything */
  async construct(
    name: string,
    type: string,
    inputs: pulumi.Inputs,
    options: pulumi.ComponentResourceOptions,
  ): Promise<pulumi.provider.ConstructResult> {
    if (type !== meshType) throw new Error(`linkerd-multicluster has no component ${type}`);
    const checked = await checkedMesh(name, inputs as unknown as MeshArgs, this).catch(
      (error: unknown) => {
        // The engine shows only the message, and a bug needs its stack trace.
        throw pulumi.RunError.isInstance(error) ? error : withStack(error);
      },
    );
    const mesh = new Mesh(name, checked, options);
    const { urn, mirrors, notMirrored, federated, linkStatuses, trustAnchors } = mesh;
    await mesh.finished();
    return { urn, state: { mirrors, notMirrored, federated, linkStatuses, trustAnchors } };
  }

  check(urn: string, olds: Props, news: Props): Promise<pulumi.provider.CheckResult> {
    return methodsOf(urn).check(olds, news);
  }

  diff(id: string, urn: string, olds: Props, news: Props): Promise<pulumi.provider.DiffResult> {
    return methodsOf(urn).diff(id, olds, news);
  }

  create(urn: string, inputs: Props): Promise<pulumi.provider.CreateResult> {
    return methodsOf(urn).create(inputs);
  }

  update(id: string, urn: string, olds: Props, news: Props): Promise<pulumi.provider.UpdateResult> {
    return methodsOf(urn).update(id, olds, news);
  }

  read(id: string, urn: string, props: Props): Promise<pulumi.provider.ReadResult> {
    return methodsOf(urn).read(id, props);
  }

  delete(id: string, urn: string, props: Props): Promise<void> {
    return methodsOf(urn).delete(id, props);
  }
}

/** Methods get plain values. The secrets among them are marked again in the answer. */
function methodsOf(urn: string): engine.Methods {
  const type = urn.split("::")[2]?.split("$").at(-1);
  const found = Object.entries(servedBy).find(([each]) => `${pluginTypes}${each}` === type)?.[1];
  if (found === undefined) throw new Error(`linkerd-multicluster has no resource ${String(type)}`);
  return engine.around(() => engine[found], unmarked);
}

function unmarked(props: Props): engine.Stripped {
  const secrets = new Set<string>();
  const plain = (value: unknown, key: string): unknown => {
    if (pulumi.runtime.isRpcSecret(value)) {
      secrets.add(key);
      return plain(pulumi.runtime.unwrapRpcSecret(value), key);
    }
    if (Array.isArray(value)) return value.map((each) => plain(each, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, plain(each, key)]),
    );
  };
  const values = Object.entries(props).map(([key, value]) => [key, plain(value, key)] as const);
  return { rest: Object.fromEntries(values), restore: (answer) => marked(answer, secrets) };
}

/** @param secrets keys of properties with secrets in them */
function marked(props: Props, secrets: ReadonlySet<string>): Props {
  const mark = (value: unknown) => ({
    [pulumi.runtime.specialSigKey]: pulumi.runtime.specialSecretSig,
    value,
  });
  return Object.fromEntries(
    Object.entries(props).map(([key, value]) => [key, secrets.has(key) ? mark(value) : value]),
  );
}
