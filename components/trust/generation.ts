import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import type { GeneratedTrust } from "../../config/mesh.ts";
import { UserError } from "@linkerd-multicluster/engine/base";
import { renewalPeriod } from "@linkerd-multicluster/engine/trust";

/** The key is secret. */
export interface KeyPair {
  readonly certPem: pulumi.Output<string>;
  readonly keyPem: pulumi.Output<string>;
}

export interface GenerationArgs {
  readonly trust: GeneratedTrust;
  readonly issuers: ReadonlyMap<string, string>;
  readonly now: Date;
}

const p256 = { algorithm: "ECDSA", ecdsaCurve: "P256" } as const;

/** The provider accepts only snake_case here, although its documentation says otherwise. */
const ca = {
  isCaCertificate: true,
  setSubjectKeyId: true,
  allowedUses: ["cert_signing", "crl_signing"],
};

/** Creates a trust anchor, and an issuer under it for every cluster. Each rotation adds a generation. */
export class Generation extends pulumi.ComponentResource {
  readonly anchorPem: pulumi.Output<string>;
  readonly issuers: ReadonlyMap<string, KeyPair>;

  constructor(name: string, args: GenerationArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:TrustGeneration", name, {}, opts);
    const { trust } = args;
    const settings = {
      ...ca,
      subject: { commonName: "root.linkerd.cluster.local" },
      validityPeriodHours: trust.anchorValidityDays * 24,
      earlyRenewalHours: 0,
    };
    // Only a rotation may replace an anchor, in steps: new settings apply to the next one.
    const kept = (inputs: object) => ({ parent: this, ignoreChanges: Object.keys(inputs) });
    const anchorKey = new tls.PrivateKey(`${name}-anchor`, p256, kept(p256));
    const { privateKeyPem } = anchorKey;
    const anchor = new tls.SelfSignedCert(
      `${name}-anchor`,
      { ...settings, privateKeyPem },
      kept(settings),
    );
    this.anchorPem = made(anchor.certPem);
    const signer = { caPrivateKeyPem: privateKeyPem, caCertPem: this.anchorPem };
    const names = [...args.issuers];
    this.issuers = new Map(
      names.map(([cluster, commonName]) => [
        cluster,
        this.#issuer(`${name}-issuer-${cluster}`, commonName, signer, args),
      ]),
    );
    this.registerOutputs({ anchorPem: this.anchorPem });
  }

  #issuer(
    name: string,
    commonName: string,
    signer: Pick<tls.LocallySignedCertArgs, "caPrivateKeyPem" | "caCertPem">,
    { trust, now }: GenerationArgs,
  ): KeyPair {
    const { issuerValidityDays, renewBeforeDays } = trust;
    const key = new tls.PrivateKey(name, p256, {
      parent: this,
      replacementTrigger: renewalPeriod(issuerValidityDays, renewBeforeDays, now),
    });
    const request = new tls.CertRequest(
      name,
      { privateKeyPem: key.privateKeyPem, subject: { commonName } },
      { parent: this },
    );
    const certificate = new tls.LocallySignedCert(
      name,
      {
        ...ca,
        ...signer,
        certRequestPem: request.certRequestPem,
        validityPeriodHours: issuerValidityDays * 24,
        earlyRenewalHours: renewBeforeDays * 24,
      },
      { parent: this },
    );
    return { certPem: made(certificate.certPem), keyPem: pulumi.secret(key.privateKeyPem) };
  }
}

/** A run that leaves out a resource which doesn't exist yet has none of its outputs. */
function made(pem: pulumi.Output<string | undefined>): pulumi.Output<string> {
  return pem.apply((text) => {
    if (text !== undefined) return text;
    throw new UserError(
      "This run leaves out a certificate that it would have to create first (--target or --exclude), so nothing can be decided about trust: run pulumi up once without these options.",
    );
  });
}
