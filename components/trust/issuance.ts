import * as pulumi from "@pulumi/pulumi";
import type { GeneratedTrust, ProvidedTrust } from "../../config/mesh.ts";
import { debugLog } from "@linkerd-multicluster/engine/kubernetes";
import {
  bundleText,
  type ClusterPlan,
  type Decision,
  type Expiring,
  expiringAnchors,
  expiringIssuers,
  expiringProvided,
  type ExpiryNotice,
  expiryNotices,
  externalTrust,
  knownCertificates,
  type LiveTrusts,
  onlyCertificate,
  planProvided,
  rotate,
  type Stage,
} from "@linkerd-multicluster/engine/trust";
import { Generation, type KeyPair } from "./generation.ts";

/** The anchors and issuers of a stack, and what each cluster gets of them. */
export interface Issuance {
  readonly anchorsPem: pulumi.Output<string>;
  readonly outputs: pulumi.Output<TrustOutputs>;
  /** In parts, so that a preview shows what is known while the rest is yet to be generated. */
  readonly expiries: readonly pulumi.Output<Expiries>[];
  /** `previous`: that of the generation before, while a rotation may still need it. */
  readonly issuersOf: (cluster: string) => {
    readonly wanted: KeyPair | undefined;
    readonly previous?: KeyPair | undefined;
  };
}

export interface IssuanceContext {
  readonly name: string;
  readonly parent: pulumi.Resource;
  readonly live: LiveTrusts;
  readonly issuerNames: ReadonlyMap<string, string>;
  readonly certificateLifetime?: number;
  readonly now: Date;
  /** Shows a message that would otherwise be buried in that of a failed output. */
  readonly say: (message: string) => void;
}

/**
 * Anchors and issuers from the config.
 *
 * @throws RunError before any resource is registered, where the change would break traffic
 */
export function providedIssuance(trust: ProvidedTrust, context: IssuanceContext): Issuance {
  const anchors = knownCertificates(trust.anchors);
  const issuers = new Map(
    [...trust.issuers].map(([cluster, { certificate }]) => [
      cluster,
      knownCertificates(certificate),
    ]),
  );
  const outputs = outputsOf(planProvided({ ...context, anchors, issuers }));
  return {
    anchorsPem: pulumi.output(bundleText(anchors)),
    outputs: pulumi.output(outputs),
    expiries: [pulumi.output(expiriesOf(expiringProvided(anchors, issuers), context.now))],
    issuersOf: (cluster) => {
      const provided = trust.issuers.get(cluster);
      const chain = issuers.get(cluster);
      if (provided === undefined || chain === undefined) return { wanted: undefined };
      const certPem = pulumi.output(bundleText(chain));
      return { wanted: { certPem, keyPem: pulumi.secret(provided.key) } };
    },
  };
}

/**
 * Anchors and issuers that this stack generates. The generation before is kept: in a rotation its
 * issuers are in use until the second of three steps; afterwards nothing trusts it any more.
 */
export function generatedIssuance(trust: GeneratedTrust, context: IssuanceContext): Issuance {
  const { name, parent, issuerNames: issuers, now } = context;
  const generation = (number: number): Generation =>
    new Generation(`${name}-${number}`, { trust, issuers, now }, { parent });
  const adopted = trust.extraAnchors === undefined ? [] : knownCertificates(trust.extraAnchors);
  const unknown = trust.unknownAnchors;
  const wanted = generation(trust.generation);
  const previous = trust.generation > 1 ? generation(trust.generation - 1) : undefined;
  const pems = pulumi.all([wanted.anchorPem, previous?.anchorPem]);
  const outputs = pems.apply((both) => {
    try {
      return outputsOf(rotate({ ...context, ...anchorsIn(both), adopted, unknown }));
    } catch (error) {
      if (error instanceof pulumi.RunError) context.say(error.message);
      throw error;
    }
  });
  const issuerPems = [...wanted.issuers].map(([cluster, { certPem }]) =>
    certPem.apply((pem) => [cluster, pem] as const),
  );
  return {
    anchorsPem: wanted.anchorPem.apply((pem) => bundleText([onlyCertificate(pem), ...adopted])),
    outputs,
    expiries: [
      pulumi
        .all([pems, outputs])
        .apply(([both, plan]) =>
          expiriesOf(expiringAnchors(trust.generation, anchorsIn(both), bundlesIn(plan)), now),
        ),
      pulumi.all(issuerPems).apply((each) => {
        const chains = each.map(([cluster, pem]) => [cluster, onlyCertificate(pem)] as const);
        return expiriesOf(expiringIssuers(trust, new Map(chains)), now);
      }),
    ],
    issuersOf: (cluster) => ({
      wanted: wanted.issuers.get(cluster),
      previous: previous?.issuers.get(cluster),
    }),
  };
}

/** Nothing of this program's: only what expires, and which clusters refuse each other's proxies. */
export function externalIssuance({ live, now }: IssuanceContext): Issuance {
  const { anchors, expiring, notes } = externalTrust(live);
  const outputs: TrustOutputs = { stage: "settled", notes, clusters: {} };
  return {
    anchorsPem: pulumi.output(bundleText(anchors)),
    outputs: pulumi.output(outputs),
    expiries: [pulumi.output(expiriesOf(expiring, now))],
    issuersOf: () => ({ wanted: undefined }),
  };
}

function bundlesIn({ clusters }: TrustOutputs): string[] {
  return Object.values(clusters).map(({ bundlePem }) => bundlePem);
}

function anchorsIn([wanted, previous]: readonly [string, string | undefined]) {
  return {
    wanted: onlyCertificate(wanted),
    previous: previous === undefined ? undefined : onlyCertificate(previous),
  };
}

/**
 * A plan as it travels through Outputs, which pass plain data on as it is, but take Maps, Dates and
 * certificates apart.
 */
export interface TrustOutputs {
  readonly stage: Stage;
  readonly notes: readonly string[];
  readonly clusters: Readonly<
    Record<string, { readonly bundlePem: string; readonly issuer: ClusterPlan["issuer"] }>
  >;
}

/** Throws RunError, which has no stack trace, with every reason for a refusal. */
export function outputsOf(decision: Decision): TrustOutputs {
  if ("refused" in decision) throw new pulumi.RunError(refusal(decision.refused));
  const { stage, notes, clusters } = decision;
  debugLog()?.(`trust: ${stage}`);
  const each = [...clusters].map(([cluster, { bundle, issuer }]) => {
    return [cluster, { bundlePem: bundleText(bundle), issuer }] as const;
  });
  return { stage, notes, clusters: Object.fromEntries(each) };
}

function refusal(reasons: readonly string[]): string {
  return ["This change of the clusters' trust is refused:", ...reasons].join("\n  ");
}

/** When certificates expire, and what to tell about it, as plain data. */
export interface Expiries {
  /** ISO 8601 by what expires: `the trust anchor`, `the issuer of cluster west`. */
  readonly dates: Readonly<Record<string, string>>;
  readonly notices: readonly ExpiryNotice[];
}

export function expiriesOf(expiring: readonly Expiring[], now: Date): Expiries {
  const dates = expiring.map(
    ({ role, certificate }) => [role, certificate.notAfter.toISOString()] as const,
  );
  return { dates: Object.fromEntries(dates), notices: expiryNotices(expiring, now) };
}
