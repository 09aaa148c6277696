import * as pulumi from "@pulumi/pulumi";
import type { GeneratedTrust, ProvidedTrust, TrustConfig } from "../../config/mesh.ts";
import {
  type Bundle,
  bundleText,
  type Expiring,
  expiringAnchors,
  expiringIssuer,
  expiringProvided,
  type ExpiryNotice,
  expiryNotices,
  externalTrust,
  knownCertificates,
  type LiveTrusts,
  onlyCertificate,
  planProvided,
  planPublished,
  type Step,
  type PublicationArgs,
  publicationArgs,
  type PublishedTrust,
  rotate,
  type Rotation,
  type RotationPlan,
  stepOf,
  type TrustPlan,
} from "@linkerd-multicluster/engine/trust";
import { Generation, type KeyPair } from "./generation.ts";

export interface Issuance {
  /** All clusters will trust these anchors in the end. */
  readonly anchorsPem: pulumi.Output<string>;
  /** All anchors, including those to be removed. */
  readonly knownPem: pulumi.Output<string>;
  readonly outputs: pulumi.Output<TrustOutputs>;
  /** A refused cluster gets nothing in this run, and counts as unreadable. */
  readonly refused: pulumi.Output<Readonly<Record<string, string>>>;
  /** The trust of every cluster stays as it is for these reasons. */
  readonly held: readonly string[];
  /** The fingerprints of anchors that a rotation removes in the end. */
  readonly leaving: pulumi.Output<readonly string[]>;
  /** Expiries in parts, so that a preview shows what is known before the rest is generated. */
  readonly expiries: readonly pulumi.Output<Expiries>[];
  readonly issuerOf: (cluster: string) => KeyPair | undefined;
}

export interface IssuanceArgs {
  readonly live: LiveTrusts;
  /** Common names: `identity.<linkerd namespace>.<trust domain>`. */
  readonly issuerNames: ReadonlyMap<string, string>;
  readonly certificateLifetimeMs?: number;
  readonly published?: PublishedTrust;
  /** Runs restart workloads themselves. */
  readonly restarts?: boolean;
  /** Publishes a step for other stacks, and returns what they may apply now. */
  readonly publish?: (
    args: pulumi.Output<PublicationArgs>,
    opts: pulumi.CustomResourceOptions,
  ) => pulumi.Output<Step>;
}

export interface IssuanceContext extends IssuanceArgs {
  readonly name: string;
  readonly parent: pulumi.Resource;
  readonly now: Date;
}

export function issuanceFrom(trust: TrustConfig, context: IssuanceContext): Issuance {
  switch (trust.kind) {
    case "external":
      return externalIssuance(context);
    case "provided":
      return providedIssuance(trust, context);
    case "stack":
      return publishedIssuance(context);
    case "generated":
      return generatedIssuance(trust, context);
  }
}

type Issuers = ReadonlyMap<string, { readonly issuer: Bundle; readonly keyPem: string }>;

/** Somebody else has created the anchors and issuers, which are known before the run. */
function givenIssuance(
  anchors: Bundle,
  issuers: Issuers,
  { stage, notes, clusters, refusedClusters, held = [], leaving = [] }: TrustPlan,
  expiring: readonly Expiring[],
  now: Date,
): Issuance {
  const anchorsPem = pulumi.output(bundleText(anchors));
  const bundles = [...clusters].map(([cluster, { bundle }]) => {
    return [cluster, { bundlePem: bundleText(bundle) }] as const;
  });
  return {
    anchorsPem,
    knownPem: anchorsPem,
    outputs: pulumi.output({ stage, notes, clusters: Object.fromEntries(bundles) }),
    refused: pulumi.output(Object.fromEntries(refusedClusters)),
    held,
    leaving: pulumi.output(fingerprints(leaving)),
    expiries: [pulumi.output(expiriesOf(expiring, now))],
    issuerOf: (cluster) => {
      const given = issuers.get(cluster);
      if (given === undefined) return undefined;
      const certPem = pulumi.output(bundleText(given.issuer));
      return { certPem, keyPem: pulumi.secret(given.keyPem) };
    },
  };
}

function fingerprints(anchors: Bundle): string[] {
  return anchors.map(({ fingerprint }) => fingerprint);
}

function chainsOf(issuers: Issuers): ReadonlyMap<string, Bundle> {
  return new Map([...issuers].map(([cluster, { issuer }]) => [cluster, issuer]));
}

function providedIssuance(trust: ProvidedTrust, context: IssuanceContext): Issuance {
  const anchors = knownCertificates(trust.anchors);
  const given = [...trust.issuers].map(([cluster, { certificate, key: keyPem }]) => {
    return [cluster, { issuer: knownCertificates(certificate), keyPem }] as const;
  });
  const issuers = chainsOf(new Map(given));
  const plan = planProvided({ ...context, anchors, issuers });
  const expiring = expiringProvided(anchors, issuers, "config");
  return givenIssuance(anchors, new Map(given), plan, expiring, context.now);
}

function publishedIssuance({ published, live, now }: IssuanceContext): Issuance {
  if (published === undefined) throw new Error("nothing was read of the stack of the trust root");
  const { clusters, known } = published;
  const expiring = expiringProvided(known, chainsOf(clusters), "stack");
  return givenIssuance(known, clusters, planPublished(published, live), expiring, now);
}

/** Others provide the trust, so this only reports what expires and which clusters refuse each other's proxies. */
function externalIssuance({ live, now }: IssuanceContext): Issuance {
  const { anchors, expiring, notes } = externalTrust(live);
  const nothing = new Map<string, never>();
  const plan = { stage: "settled", notes, clusters: nothing, refusedClusters: nothing } as const;
  return givenIssuance(anchors, nothing, plan, expiring, now);
}

/** The previous generation is kept, because its issuers are in use until the second of a rotation's three steps. */
function generatedIssuance(trust: GeneratedTrust, context: IssuanceContext): Issuance {
  const { name, parent, issuerNames: issuers, now, publish } = context;
  const generation = (number: number): Generation =>
    new Generation(`${name}-${number}`, { trust, issuers, now }, { parent });
  const adopted = trust.extraAnchors === undefined ? [] : knownCertificates(trust.extraAnchors);
  const wanted = generation(trust.generation);
  const previous = trust.generation > 1 ? generation(trust.generation - 1) : undefined;
  const pems = pulumi.all([wanted.anchorPem, previous?.anchorPem]);
  const by = publish === undefined ? {} : { by: "the next run of every cluster's stack" };
  const unknown = trust.unknownAnchors;
  const decided = <T>(use: (plan: RotationPlan, rotation: Rotation) => T) =>
    pems.apply((both) => {
      const rotation = { ...context, ...anchorsIn(both), ...by, adopted, unknown };
      return use(rotate(rotation), rotation);
    });
  const outputs =
    publish === undefined ? decided(stepOf) : publish(decided(publicationArgs), { parent });
  const issuerPems = [...wanted.issuers].map(([cluster, { certPem }]) =>
    certPem.apply((pem) => [cluster, pem] as const),
  );
  return {
    anchorsPem: wanted.anchorPem.apply((pem) => bundleText([onlyCertificate(pem), ...adopted])),
    knownPem: pems.apply((both) => {
      const { wanted: anchor, previous: before } = anchorsIn(both);
      return bundleText([anchor, ...(before === undefined ? [] : [before]), ...adopted]);
    }),
    outputs,
    refused: decided(({ refusedClusters }) => Object.fromEntries(refusedClusters)),
    held: [],
    leaving: decided(({ leaving = [] }) => fingerprints(leaving)),
    expiries: [
      pulumi.all([pems, outputs]).apply(([both, { clusters }]) => {
        const bundles = Object.values(clusters).map(({ bundlePem }) => bundlePem);
        return expiriesOf(expiringAnchors(trust.generation, anchorsIn(both), bundles), now);
      }),
      pulumi.all(issuerPems).apply((each) => {
        const remedy = "Renew it: run pulumi up --refresh.";
        const expiring = each.flatMap(([cluster, pem]) =>
          expiringIssuer(cluster, knownCertificates(pem), remedy, trust.renewBeforeDays),
        );
        return expiriesOf(expiring, now);
      }),
    ],
    issuerOf: (cluster) => {
      const [issuer, before] = [wanted, previous].map((each) => each?.issuers.get(cluster));
      if (issuer === undefined || before === undefined) return issuer;
      const part = (key: keyof KeyPair): pulumi.Output<string> =>
        pulumi
          .all([outputs, wanted.anchorPem, issuer[key], before[key]])
          .apply(([plan, anchor, next, last]) =>
            plan.clusters[cluster]?.issuer === onlyCertificate(anchor).fingerprint ? next : last,
          );
      return { certPem: part("certPem"), keyPem: part("keyPem") };
    },
  };
}

function anchorsIn([wanted, previous]: readonly [string, string | undefined]) {
  return {
    wanted: onlyCertificate(wanted),
    previous: previous === undefined ? undefined : onlyCertificate(previous),
  };
}

/** Outputs pass plain data on as it is, but take Maps, Dates and certificates apart. */
interface TrustOutputs extends Pick<Step, "stage" | "notes"> {
  /** A cluster that may be new and has to wait has none. */
  readonly clusters: Readonly<Record<string, { readonly bundlePem: string } | undefined>>;
}

export interface Expiries {
  /** The times are ISO 8601, by what expires: `the trust anchor`, `the issuer of cluster west`. */
  readonly dates: Readonly<Record<string, string>>;
  readonly notices: readonly ExpiryNotice[];
}

function expiriesOf(expiring: readonly Expiring[], now: Date): Expiries {
  const dates = expiring.map(
    ({ role, certificate }) => [role, certificate.notAfter.toISOString()] as const,
  );
  return { dates: Object.fromEntries(dates), notices: expiryNotices(expiring, now) };
}
