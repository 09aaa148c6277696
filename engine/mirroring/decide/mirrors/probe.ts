import { offeredProbe } from "../../../gateway/facts.ts";
import { objectKey } from "../../../kubernetes/objects/objects.ts";
import type { LinkView } from "../../../model/observation.ts";
import { probeLabels } from "../../../model/owner.ts";
import type { Mirror } from "../../../model/mirror.ts";
import type { Skip } from "../../../model/reasons.ts";
import { annotation, label, probeName, probePort, remoteName } from "../../../model/vocabulary.ts";

/**
 * Plans the Service that the link's prober asks, with the Endpoints that Linkerd's controller would give it
 * (`createOrUpdateGatewayEndpoints` of linkerd2). While the gateway isn't known, it stays as it is.
 */
export function desiredProbe({ link, snapshot, gateway, extension }: LinkView): {
  readonly mirrors: readonly Mirror[];
  readonly skips: readonly Skip[];
} {
  const { target, targetDomain } = link;
  if (link.prober === false || link.gateway === false || extension === undefined)
    return { mirrors: [], skips: [] };
  const { namespace, name } = link.gateway;
  const origin = objectKey(namespace, name);
  const offered = offeredProbe(snapshot.services.get(origin), `${target}/${origin}`);
  const unknown = (sentence: string) => {
    const place = { origin, mirror: probeName(target), namespace: extension };
    return { mirrors: [], skips: [{ ...place, reason: "NoGateway" as const, sentence }] };
  };
  if ("why" in gateway) return unknown(gateway.why);
  if ("why" in offered) return unknown(offered.why);
  const { addresses, identity } = gateway.value.gateway;
  const labels = {
    ...probeLabels,
    [label.cluster]: target,
    "linkerd.io/extension": "multicluster",
  };
  const ports = [{ name: probePort, port: offered.probe.port, protocol: "TCP" as const }];
  const probe: Mirror = {
    kind: "probe",
    namespace: extension,
    name: probeName(target),
    origin,
    labels,
    annotations: { [annotation.remoteName]: remoteName([name], namespace, targetDomain) },
    ports,
    endpoints: {
      labels,
      annotations: identity === "" ? {} : { [annotation.remoteGatewayIdentity]: identity },
      subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }],
    },
  };
  return { mirrors: [probe], skips: [] };
}
