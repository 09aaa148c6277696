import * as pulumi from "@pulumi/pulumi";
import type { TokenCheckArgs } from "@linkerd-multicluster/engine/credentials";

/** As in mirrors.ts: all that state ever holds is calls of a package, looked up when they run. */
const provider: pulumi.dynamic.ResourceProvider<TokenCheckArgs, TokenCheckArgs> = {
  async check(olds, news) {
    return (await import("@linkerd-multicluster/engine")).tokenChecks.check(olds, news);
  },
  async diff(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).tokenChecks.diff(id, olds, news);
  },
  async create(inputs) {
    return (await import("@linkerd-multicluster/engine")).tokenChecks.create(inputs);
  },
  async update(id, olds, news) {
    return (await import("@linkerd-multicluster/engine")).tokenChecks.update(id, olds, news);
  },
  async read(id, props) {
    return (await import("@linkerd-multicluster/engine")).tokenChecks.read(id, props);
  },
  async delete() {
    await (await import("@linkerd-multicluster/engine")).tokenChecks.delete();
  },
};

export type TokenCheckInputs = Omit<TokenCheckArgs, "secret" | "rules"> & {
  readonly secret: pulumi.Input<string>;
  readonly rules: pulumi.Input<TokenCheckArgs["rules"]>;
};

/** Checks that the token in a Secret works. Gets the Secret's name, never the token. */
export class TokenCheck extends pulumi.dynamic.Resource {
  constructor(
    name: string,
    args: pulumi.Inputs & TokenCheckInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(provider, name, args, { ...opts, hideDiffs: ["__provider"] }, "linkerd", "TokenCheck");
  }
}
