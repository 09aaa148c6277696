import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig, TrustConfig } from "../config/mesh.ts";
import { ownClusters } from "../config/share.ts";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import { debugLog } from "@linkerd-multicluster/engine/kubernetes";
import { certificateLifetime } from "./charts/values.ts";
import type { Preflight } from "./preflight.ts";
import type { KeyPair } from "./trust/generation.ts";
import { dayLong, leavingOut, type RotationStage } from "@linkerd-multicluster/engine/trust";
import { type Issuance, type IssuanceArgs, issuanceFrom } from "./trust/issuance.ts";

export interface TrustRootArgs extends IssuanceArgs {
  readonly trust: TrustConfig;
  readonly now?: Date;
}

/** Each run takes one step of a rotation, reports what remains to be done and what expires, and breaks no traffic. */
export class TrustRoot extends pulumi.ComponentResource {
  readonly issuance: Issuance;
  readonly stage: pulumi.Output<RotationStage>;
  readonly expiries: pulumi.Output<Readonly<Record<string, string>>>;
  /** Problems that fail the run after everything else. A failing preview would hold up other changes, and pull requests. */
  readonly errors: pulumi.Output<readonly string[]>;

  constructor(name: string, args: TrustRootArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:TrustRoot", name, {}, opts);
    const context = { ...args, now: args.now ?? new Date(), name, parent: this };
    this.issuance = issuanceFrom(args.trust, context);
    const { outputs, expiries, anchorsPem } = this.issuance;
    this.stage = outputs.apply(({ stage, notes }) => {
      debugLog()?.(`trust: ${stage}`);
      for (const note of notes) this.say("warning", note);
      return stage;
    });
    const told = expiries.map((part) =>
      part.apply(({ dates, notices }) => {
        const errors: string[] = [];
        for (const { severity, message } of notices) {
          const isError = severity === "error" && !pulumi.runtime.isDryRun();
          this.say(isError ? "error" : "warning", message);
          if (isError) errors.push(message);
        }
        return { dates, errors };
      }),
    );
    const parts = pulumi.all(told);
    this.expiries = parts.apply((all) =>
      Object.fromEntries(all.flatMap(({ dates }) => Object.entries(dates))),
    );
    this.errors = parts.apply((all) => all.flatMap(({ errors }) => errors));
    this.registerOutputs({ anchorsPem, stage: this.stage, expiries: this.expiries });
  }

  /** Returns an empty text if no bundle is planned. */
  bundleFor(cluster: string): pulumi.Output<string> {
    return this.issuance.outputs.apply(({ clusters }) => clusters[cluster]?.bundlePem ?? "");
  }

  issuerFor(cluster: string): KeyPair {
    const issuer = this.issuance.issuerOf(cluster);
    if (issuer === undefined) throw new Error(`there is no issuer for cluster ${cluster}`);
    return issuer;
  }

  /** After an error the run continues to its end, and then fails. */
  say(severity: "warning" | "error", message: string): void {
    const isError = severity === "error";
    // Pulumi expects this code after an error that was already reported. With `log.error` alone the run would succeed.
    if (isError) process.exitCode = 32;
    const log = isError ? pulumi.log.error : pulumi.log.warn;
    // The run does not depend on this message, so a failure to send it is ignored.
    log(message, this).catch(() => undefined);
  }
}

export function trustRootArgs(
  config: MeshConfig,
  { trust: live, published }: Pick<Preflight, "trust" | "published">,
): TrustRootArgs {
  const { linkerdNamespace, trust } = config;
  const clusters = ownClusters(config);
  const names = [...clusters].map(([cluster, { trustDomain }]) => {
    // The name is a convention that nothing checks (linkerd-behaviour.md 9.3).
    return [cluster, `identity.${linkerdNamespace}.${trustDomain}`] as const;
  });
  // The other clusters belong to other stacks.
  const own = <T>(issuers: ReadonlyMap<string, T>) =>
    new Map([...issuers].filter(([name]) => clusters.has(name)));
  const lifetimes = [...clusters.values()].map((cluster) =>
    certificateLifetime(config.charts, cluster),
  );
  return {
    trust: trust.kind === "provided" ? { ...trust, issuers: own(trust.issuers) } : trust,
    live: "ignorePods" in trust ? leavingOut(trust.ignorePods, live) : live,
    ...omitUndefined({ published }),
    issuerNames: new Map(names),
    ...(config.restart && { restarts: true }),
    certificateLifetimeMs: Math.max(dayLong, ...lifetimes),
  };
}
