import * as pulumi from "@pulumi/pulumi";
import type { ClusterAccess, LinkSpec } from "../mirror/model/link.ts";
import { settingsOf } from "../mirror/model/link-settings.ts";
import { Mirrors } from "./mirrors.ts";

export interface LinkArgs {
  readonly spec: LinkSpec;
  /** Every cluster of the stack by name. */
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  /** The other links into the same source. */
  readonly siblings: readonly LinkSpec[];
}

/** One direction between two clusters: the target's exported Services appear in the source. */
export class Link extends pulumi.ComponentResource {
  readonly notMirrored: Mirrors["notMirrored"];

  constructor(name: string, args: LinkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:Link", name, {}, opts);
    const mirrors = new Mirrors(
      name,
      {
        link: settingsOf(args.spec),
        clusters: args.clusters,
        ...(args.siblings.length > 0 && { siblings: args.siblings.map(settingsOf) }),
      },
      { parent: this },
    );
    this.notMirrored = mirrors.notMirrored;
    this.registerOutputs({ notMirrored: this.notMirrored });
  }
}
