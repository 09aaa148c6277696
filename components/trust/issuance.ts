import * as pulumi from "@pulumi/pulumi";
import type { GeneratedTrust, ProvidedTrust } from "../../config/mesh.ts";
import { bundleText } from "../../engine/trust/bundle.ts";
import { knownCertificates, onlyCertificate } from "../../engine/trust/certificate.ts";
import { Generation, type KeyPair } from "./generation.ts";
import { type Expiries, expiriesOf, type Given, givenBy } from "./outputs.ts";
import type { LiveTrusts } from "../../engine/trust/live.ts";
import { adopt } from "../../engine/trust/provided.ts";
import { rotate } from "../../engine/trust/rotate.ts";
import { watchedAnchors, watchedIssuers, watchedOwn } from "../../engine/trust/expiring.ts";

/** What there is to give to clusters, and what each gets. */
export interface Material {
  readonly anchorsPem: pulumi.Output<string>;
  readonly given: pulumi.Output<Given>;
  /** In parts, so that a preview tells of what is known while the rest is yet to be made. */
  readonly expiries: readonly pulumi.Output<Expiries>[];
  /** `previous`: that of the generation before, while a rotation may still need it. */
  readonly issuersOf: (cluster: string) => {
    readonly wanted: KeyPair | undefined;
    readonly previous?: KeyPair | undefined;
  };
}

export interface MaterialContext {
  readonly name: string;
  readonly parent: pulumi.Resource;
  readonly live: LiveTrusts;
  readonly issuerNames: ReadonlyMap<string, string>;
  readonly certificateLifetime?: number;
  readonly now: Date;
  /** Shows a message that would otherwise be buried in a failed output's. */
  readonly say: (message: string) => void;
}

/** Anchors and issuers from the config. Refuses, by throwing, before any resource is registered. */
export function ownMaterial(trust: ProvidedTrust, context: MaterialContext): Material {
  const anchors = knownCertificates(trust.anchors);
  const issuers = new Map(
    [...trust.issuers].map(([cluster, { certificate }]) => [
      cluster,
      knownCertificates(certificate),
    ]),
  );
  const given = givenBy(adopt({ ...context, anchors, issuers }));
  return {
    anchorsPem: pulumi.output(bundleText(anchors)),
    given: pulumi.output(given),
    expiries: [pulumi.output(expiriesOf(watchedOwn(anchors, issuers), context.now))],
    issuersOf: (cluster) => {
      const own = trust.issuers.get(cluster);
      const chain = issuers.get(cluster);
      if (own === undefined || chain === undefined) return { wanted: undefined };
      const certPem = pulumi.output(bundleText(chain));
      return { wanted: { certPem, keyPem: pulumi.secret(own.key) } };
    },
  };
}

/**
 * Anchors and issuers that this stack makes. The generation before is kept: during a rotation its
 * issuers are in use until the second of three steps, and afterwards nobody trusts it any more.
 */
export function generatedMaterial(trust: GeneratedTrust, context: MaterialContext): Material {
  const { name, parent, issuerNames: issuers, now } = context;
  const generation = (number: number): Generation =>
    new Generation(`${name}-${number}`, { trust, issuers, now }, { parent });
  const wanted = generation(trust.generation);
  const previous = trust.generation > 1 ? generation(trust.generation - 1) : undefined;
  const pems = pulumi.all([wanted.anchorPem, previous?.anchorPem]);
  const given = pems.apply((both) => {
    try {
      return givenBy(rotate({ ...context, ...anchorsIn(both) }));
    } catch (error) {
      if (error instanceof pulumi.RunError) context.say(error.message);
      throw error;
    }
  });
  const issuerPems = [...wanted.issuers].map(([cluster, { certPem }]) =>
    certPem.apply((pem) => [cluster, pem] as const),
  );
  return {
    anchorsPem: wanted.anchorPem.apply((pem) => bundleText([onlyCertificate(pem)])),
    given,
    expiries: [
      pulumi
        .all([pems, given])
        .apply(([both, plan]) =>
          expiriesOf(watchedAnchors(trust.generation, anchorsIn(both), plan), now),
        ),
      pulumi.all(issuerPems).apply((each) => {
        const chains = each.map(([cluster, pem]) => [cluster, onlyCertificate(pem)] as const);
        return expiriesOf(watchedIssuers(trust, new Map(chains)), now);
      }),
    ],
    issuersOf: (cluster) => ({
      wanted: wanted.issuers.get(cluster),
      previous: previous?.issuers.get(cluster),
    }),
  };
}

function anchorsIn([wanted, previous]: readonly [string, string | undefined]) {
  return {
    wanted: onlyCertificate(wanted),
    previous: previous === undefined ? undefined : onlyCertificate(previous),
  };
}
