import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { BedCluster } from "../bed/bed.ts";
import { get, inNamespace, post } from "../e2e/access-clusters.ts";
import { tlsCertificate } from "../unit/trust/certificates.ts";

interface Review {
  readonly request: {
    readonly uid: string;
    readonly object: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
}

/** Stands for Linkerd's injector in a cluster that runs no containers: pods get a proxy with the live trust bundle. */
export async function startInjector(cluster: BedCluster): Promise<{ readonly close: () => void }> {
  const { key, cert, certData } = tlsCertificate("injector");
  const roots = `${inNamespace("linkerd", "configmaps")}/linkerd-identity-trust-roots`;
  const patchOf = async ({ object }: Review["request"]) => {
    if (object.metadata.annotations?.["linkerd.io/inject"] !== "enabled") return [];
    const { data } = await get<{ readonly data: Readonly<Record<string, string>> }>(cluster, roots);
    const env = [
      { name: "LINKERD2_PROXY_IDENTITY_TRUST_ANCHORS", value: data["ca-bundle.crt"] ?? "" },
    ];
    const label = "/metadata/labels/linkerd.io~1control-plane-ns";
    return [
      { op: "add", path: "/spec/containers/-", value: { name: "linkerd-proxy", image: "x", env } },
      ...("labels" in object.metadata ? [{ op: "add", path: label, value: "linkerd" }] : []),
    ];
  };
  const server = createServer({ key, cert }, (request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const review = JSON.parse(text) as Review;
      void patchOf(review.request).then((patch) => {
        const answer = {
          uid: review.request.uid,
          allowed: true,
          patchType: "JSONPatch",
          patch: btoa(JSON.stringify(patch)),
        };
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({
            apiVersion: "admission.k8s.io/v1",
            kind: "AdmissionReview",
            response: answer,
          }),
        );
      });
    });
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  await post(cluster, "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
    metadata: { name: "injector" },
    webhooks: [
      {
        name: "injector.example.com",
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: certData },
        rules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
        ],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  return { close: () => server.close() };
}
