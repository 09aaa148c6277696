import * as pulumi from "@pulumi/pulumi";
import { EngineResource } from "./engine-resource.ts";
import type { TokenCheckArgs } from "@linkerd-multicluster/engine/credentials";

export type TokenCheckInputs = Omit<TokenCheckArgs, "secret" | "rules"> & {
  readonly secret: pulumi.Input<string>;
  readonly rules: pulumi.Input<TokenCheckArgs["rules"]>;
};

/** Checks that the token in a Secret works. Gets the Secret's name, never the token. */
export class TokenCheck extends EngineResource {
  constructor(
    name: string,
    args: pulumi.Inputs & TokenCheckInputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super({ served: "tokenChecks", type: "TokenCheck" }, name, args, opts);
  }
}
