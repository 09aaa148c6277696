import * as pulumi from "@pulumi/pulumi";
import type { TrustConfig } from "../config/mesh.ts";
import type { KeyPair } from "./trust/generation.ts";
import type { Given } from "./trust/outputs.ts";
import type { LiveTrusts } from "../engine/trust/live.ts";
import { generatedMaterial, type Material, ownMaterial } from "./trust/issuance.ts";
import type { Stage } from "../engine/trust/plan.ts";

export interface TrustRootArgs {
  readonly trust: TrustConfig;
  /** What the clusters trust now, read at the start of this run: every cluster of the stack. */
  readonly live: LiveTrusts;
  /** By cluster: the common name of its issuer, `identity.<linkerd namespace>.<trust domain>`. */
  readonly issuerNames: ReadonlyMap<string, string>;
  /** Milliseconds that a workload's certificate lives, where it is not Linkerd's 24 hours. */
  readonly certificateLifetime?: number;
  readonly now?: Date;
  /** Makes the run fail once it has come to its end; in tests, something else. */
  readonly failAtEnd?: () => void;
}

/**
 * One trust anchor for all clusters and an issuer for each, generated or brought along. Takes one
 * step of a rotation in each run, as far as what is live allows; says what remains to be done, and
 * what expires.
 *
 * Throws RunError where the config asks for a step that would break traffic: at once with anchors
 * from the config, and as a failed output with generated ones, which have to be made first.
 */
export class TrustRoot extends pulumi.ComponentResource {
  /** PEM of the anchors that all clusters are to trust in the end. */
  readonly anchorsPem: pulumi.Output<string>;
  readonly stage: pulumi.Output<Stage>;
  /** What remains to be done by the user; empty when nothing is. */
  readonly notes: pulumi.Output<readonly string[]>;
  /** ISO 8601 by what expires: `the trust anchor`, `the issuer of cluster west`. */
  readonly expiries: pulumi.Output<Readonly<Record<string, string>>>;
  readonly #material: Material;
  readonly #failAtEnd: () => void;

  constructor(name: string, args: TrustRootArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:TrustRoot", name, {}, opts);
    this.#failAtEnd = args.failAtEnd ?? failAtEnd;
    const say = (message: string): void => {
      this.#say("error", message);
    };
    const context = { ...args, now: args.now ?? new Date(), name, parent: this, say };
    const { trust } = args;
    this.#material =
      trust.kind === "provided" ? ownMaterial(trust, context) : generatedMaterial(trust, context);
    const { given, expiries, anchorsPem } = this.#material;
    this.anchorsPem = anchorsPem;
    this.stage = given.apply(({ stage }) => stage);
    this.notes = given.apply(({ notes }) => {
      for (const note of notes) this.#say("warning", note);
      return notes;
    });
    const dates = expiries.map((part) =>
      part.apply(({ dates: own, verdicts }) => {
        for (const { severity, message } of verdicts) this.#say(severity, message);
        return own;
      }),
    );
    this.expiries = pulumi
      .all(dates)
      .apply((parts) => Object.fromEntries(parts.flatMap((part) => Object.entries(part))));
    this.registerOutputs({ anchorsPem, stage: this.stage, expiries: this.expiries });
  }

  /** PEM of the anchors that the cluster trusts after this run, as the chart takes it. */
  bundleFor(cluster: string): pulumi.Output<string> {
    return this.#material.given.apply((given) => of(cluster, given).bundlePem);
  }

  /** The cluster's issuer after this run. Its key is secret. */
  issuerFor(cluster: string): KeyPair {
    const { wanted, previous } = this.#material.issuersOf(cluster);
    if (wanted === undefined) throw new Error(`there is no issuer for cluster ${cluster}`);
    if (previous === undefined) return wanted;
    const { given } = this.#material;
    const pick = (part: keyof KeyPair): pulumi.Output<string> =>
      pulumi
        .all([given, wanted[part], previous[part]])
        .apply(([plan, now, before]) => (of(cluster, plan).issuer === "wanted" ? now : before));
    return { certPem: pick("certPem"), keyPem: pick("keyPem") };
  }

  /** An error lets the run go on to its end, for the sake of all else, and then fail. */
  #say(severity: "warning" | "error", message: string): void {
    if (severity === "error") this.#failAtEnd();
    const said = severity === "error" ? pulumi.log.error : pulumi.log.warn;
    // Nothing could mend a message that does not get through.
    said(message, this).catch(() => undefined);
  }
}

/**
 * Pulumi's own code for a program that has said what is wrong: the engine does all that was asked
 * for, then reports failure and adds no message of its own. `log.error` alone leaves success.
 */
function failAtEnd(): void {
  process.exitCode = 32;
}

function of(cluster: string, { clusters }: Given): Given["clusters"][string] {
  const plan = clusters[cluster];
  if (plan === undefined) throw new Error(`trust was not planned for cluster ${cluster}`);
  return plan;
}
