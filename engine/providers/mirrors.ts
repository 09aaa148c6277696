/**
 * The dynamic provider's methods. The program's provider objects hold nothing but a call of these,
 * and state keeps that call for years: the package's name, `mirrors` and `federatedServices` are a
 * public contract.
 */

import { ownerLabels } from "../mirroring/desired/metadata.ts";
import { federated, mirrorsOf } from "../mirroring/model/owner.ts";
import { label } from "../mirroring/model/vocabulary.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig.ts";
import type { LinkSettings } from "../mirroring/model/link-settings.ts";
import { World } from "../mirroring/observe/clusters.ts";
import type { Change } from "../mirroring/plan/change.ts";
import { liveKind } from "../mirroring/plan/describe.ts";
import { liveMirrors } from "../mirroring/plan/ownership.ts";
import { foreseen } from "../mirroring/reconcile/preview-without-gateway.ts";
import { resource } from "../mirroring/reconcile/resource.ts";
import type { FederatedArgs, MirrorsArgs } from "../mirroring/reconcile/state.ts";
import { surveyFederated } from "../mirroring/reconcile/survey-federated.ts";
import { nameOf } from "../mirroring/reconcile/survey-link.ts";
import { surveyFederatedLinked, surveyLinked } from "../mirroring/reconcile/survey-linked.ts";
import { accessTo } from "../mirroring/reconcile/survey.ts";

/** One process serves one phase of one operation, and all resources in it share what it has read. */
const world = new World();

/** The mirrors of one link. */
export const mirrors = resource<MirrorsArgs>(
  {
    name: ({ link }) => nameOf(link),
    source: ({ link }) => link.source,
    ground: ({ link }) => ({
      owner: mirrorsOf(link.target),
      namespaceLabels: ownerLabels(link.target),
      work: `mirroring ${link.target}`,
    }),
    survey: surveyLinked,
    foresee: (args) => foreseen(world, args),
    removal: async (_world, { link, clusters }) => {
      const access = accessTo({ clusters }, link.source);
      const source = await world.snapshot(link.source, access);
      if (await isHandedOver(link, access)) return { addresses: new Map(), changes: [] };
      const live = liveMirrors(source, mirrorsOf(link.target));
      const changes = [...live].map(([key, mirror]): Change => ({
        action: "delete",
        kind: liveKind(mirror),
        key,
        live: mirror,
        fields: [],
      }));
      return { addresses: new Map(), changes };
    },
  },
  world,
);

/** The federated Services of one cluster, which all links into it feed. */
export const federatedServices = resource<FederatedArgs>(
  {
    name: ({ cluster }) => `${cluster}/federated`,
    source: ({ cluster }) => cluster,
    ground: () => ({
      owner: federated,
      namespaceLabels: { [label.mirrored]: "true" },
      work: "federating",
    }),
    survey: surveyFederatedLinked,
    removal: async (_world, state) => {
      const leaving = { ...state, links: [] };
      const clusters = { [state.cluster]: accessTo(state, state.cluster) };
      const survey = await surveyFederated(world, { ...leaving, clusters }, state);
      if (survey.outcome !== "planned") throw new Error(survey.why);
      return survey.plan;
    },
  },
  world,
);

/**
 * Whether a controller of Linkerd's mirrors the link by now: then the mirrors are its own, and it
 * would not make them again for minutes. Where Deployments can't be read, nobody is known to.
 */
async function isHandedOver(link: LinkSettings, access: ClusterAccess): Promise<boolean> {
  const controllers = await world.controllers(link.source, access).catch(() => []);
  const heir = controllers.find(({ target, replicas }) => target === link.target && replicas > 0);
  if (heir === undefined) return false;
  const where = `${link.source}/${heir.namespace}/${heir.name}`;
  console.log(`${nameOf(link)}: its mirrors stay, because Deployment ${where} mirrors it now`);
  return true;
}
