import { credentialsName, credentialsSecrets, type SecretHead } from "../../credentials/objects.ts";
import type { LinkResource } from "../../kubernetes/objects/link-resource.ts";
import type { StringMap } from "../../kubernetes/objects/objects.ts";
import type { SecretReading } from "../../reading/reading.ts";
import { type Result, valueIn } from "../../base/result.ts";
import {
  type HealthCheck,
  type Finding,
  notManaged,
  toInstall,
  unreadCluster,
  type Findings,
  type CheckedCluster,
  type CheckedLink,
} from "../health-check.ts";

const refresh = "pulumi up --refresh";

type Field = keyof NonNullable<LinkResource["spec"]>;

export const linksServed: HealthCheck<CheckedCluster> = {
  id: "links-served",
  title: "the Link CRD is served",
  anchor: "l5d-multicluster-link-crd-exists",
  severity: "fatal",
  aboutLinkerd: true,
  run: ({ mesh, cluster, reading: { linkerd } }) => {
    if (!mesh.links.some(({ link }) => link.source === cluster))
      return { skipped: "no link of the stack has this cluster as its source" };
    if (linkerd === undefined) return unreadCluster(cluster);
    if ("why" in linkerd.links) return [linkerd.links.why];
    if (linkerd.links.value !== undefined) return [];
    return [
      `cluster ${cluster} does not serve links.multicluster.linkerd.io in version v1alpha3: ${toInstall(mesh.manage, "the multicluster extension", " of Linkerd 2.18 or later there")}`,
    ];
  },
};

export const linkResource: HealthCheck<CheckedLink> = {
  id: "link-resource",
  title: "the Link exists and matches the config",
  anchor: "l5d-multicluster-links-are-valid",
  severity: "fatal",
  aboutLinkerd: true,
  run: (view) => {
    const { mesh, link, source } = view;
    const links = source.linkerd?.links;
    if (links === undefined || "why" in links)
      return { skipped: `the Links of cluster ${link.source} can't be read` };
    if (links.value === undefined)
      return { skipped: `cluster ${link.source} does not serve Links` };
    const { multiclusterNamespace: namespace } = mesh;
    const where = `Link ${link.source}/${namespace}/${link.target}`;
    const found = links.value.find(
      ({ metadata }) => metadata.name === link.target && metadata.namespace === namespace,
    );
    if (found === undefined) return [{ sentence: `there is no ${where}`, fix: refresh }];
    return Object.entries(wanted(view)).flatMap(([field, value]) =>
      mismatch(where, field, found.spec?.[field as Field] ?? "", value),
    );
  },
};

/** An unknown field is left out. An empty text stands for one that must be unset. */
function wanted({ mesh, link, target, reading }: CheckedLink): Partial<Record<Field, string>> {
  const fields = {
    targetClusterName: link.target,
    targetClusterDomain:
      valueIn(target.linkerd?.config)?.domains?.clusterDomain ?? link.targetDomain,
    targetClusterLinkerdNamespace: mesh.linkerdNamespace,
    clusterCredentialsSecret: credentialsName(link.target),
  };
  if (link.gateway === false) return { ...fields, gatewayAddress: "" };
  const announced = valueIn(valueIn(reading.target)?.gateway)?.announced;
  if (announced === undefined) return fields;
  const { addresses, port, identity } = announced;
  return {
    ...fields,
    gatewayAddress: addresses.join(","),
    gatewayPort: String(port),
    gatewayIdentity: identity,
  };
}

function mismatch(where: string, field: string, live: string, value: string): Finding[] {
  if (live === value) return [];
  const is = live === "" ? `has no ${field}` : `has ${field} ${JSON.stringify(live)}`;
  const rule = value === "" ? "none, as the link has no gateway" : JSON.stringify(value);
  return [
    {
      sentence: `${where} ${is} and should have ${rule}: check what else writes it`,
      fix: refresh,
    },
  ];
}

const kinds = ["mirror", "destination"] as const;

export const credentialsExist: HealthCheck<CheckedLink> = {
  id: "credentials-exist",
  title: "both credentials Secrets exist as Linkerd expects them",
  anchor: "l5d-smc-target-clusters-access",
  severity: "error",
  run: (view) =>
    view.mesh.manage === "mirrors"
      ? givenByOthers(view)
      : ofEach(view, (where, head, secret) => {
          if ("why" in secret) return [secret.why];
          if (secret.value === undefined)
            return [{ sentence: `there is no ${where}`, fix: refresh }];
          return misfits(where, head, secret.value);
        }),
};

function givenByOthers({ mesh, link, reading: { destination } }: CheckedLink): Findings {
  const { source, target } = link;
  if (destination === undefined) return { skipped: notManaged };
  if ("why" in destination) return { skipped: destination.why };
  const { value } = destination;
  if (value === undefined)
    return { skipped: `the runner may not list Secrets in ${source}/${mesh.linkerdNamespace}` };
  if (value) return [];
  return [
    {
      sentence: `Linkerd in cluster ${source} has no credentials for ${target} in namespace ${mesh.linkerdNamespace}, so it finds no pods of ${target} for federated Services and other mirrors that lead to pods: create the Secret with linkerd multicluster link-gen, or set manage: links`,
      severity: "warning",
    },
  ];
}

export const credentialsWork: HealthCheck<CheckedLink> = {
  id: "credentials-work",
  title: "the credentials work in the target cluster",
  anchor: "l5d-smc-target-clusters-access",
  severity: "error",
  aboutLinkerd: true,
  run: (view) => {
    const secrets = Object.values(view.reading.credentials ?? {});
    if (secrets.length > 0 && secrets.every((secret) => valueIn(secret) === undefined))
      return { skipped: "there are no credentials to try" };
    return ofEach(view, (where, _, secret) => {
      const found = valueIn(secret);
      return found === undefined ? [] : trial(where, found, view);
    });
  },
};

/** Annotations whose values aren't known, such as the domains, are empty in the head that `find` gets. */
function ofEach(
  { mesh, link, source, target, reading: { credentials } }: CheckedLink,
  find: (
    where: string,
    head: SecretHead<string>,
    secret: Result<SecretReading | undefined>,
  ) => readonly Finding[],
): Findings {
  if (credentials === undefined)
    return unreadCluster(source.linkerd === undefined ? link.source : link.target);
  const unknown = { trustDomain: "", clusterDomain: "" };
  const heads = credentialsSecrets(
    link.target,
    valueIn(target.linkerd?.config)?.domains ?? unknown,
    {
      linkerd: mesh.linkerdNamespace,
      multicluster: mesh.multiclusterNamespace,
    },
  );
  return kinds.flatMap((kind) => {
    const { namespace, name } = heads[kind].metadata;
    return find(`Secret ${link.source}/${namespace}/${name}`, heads[kind], credentials[kind]);
  });
}

function misfits(where: string, head: SecretHead<string>, secret: SecretReading): Finding[] {
  const { labels, annotations } = head.metadata;
  const problems = [
    ...(secret.type === head.type ? [] : [`has type ${secret.type} and must have ${head.type}`]),
    ...differences("label", labels ?? {}, secret.labels),
    ...differences("annotation", annotations ?? {}, secret.annotations),
  ];
  return problems.map((problem) => ({
    sentence: `${where} ${problem}, or Linkerd ignores it`,
    fix: refresh,
  }));
}

function differences(what: string, wanted: StringMap, live: StringMap): string[] {
  return Object.entries(wanted).flatMap(([key, value]) => {
    const is = live[key] ?? "";
    if (is === "") return [`has no ${what} ${key} and must have one`];
    if (value === "" || is === value) return [];
    return [`has ${what} ${key} ${JSON.stringify(is)} and must have ${JSON.stringify(value)}`];
  });
}

function trial(where: string, { trial }: SecretReading, { mesh, link }: CheckedLink): Finding[] {
  const { source, target } = link;
  switch (trial.outcome) {
    case "unusable":
      return [{ sentence: `the kubeconfig in ${where} must be ${trial.rule}`, fix: refresh }];
    case "refused":
      return [
        {
          sentence: `the credentials in ${where} do not work at ${trial.server}: ${trial.why}`,
          fix: refresh,
        },
      ];
    case "elsewhere": {
      const context = mesh.clusters[target]?.context ?? target;
      return [
        `the credentials in ${where} lead to another cluster at ${trial.server} than context ${context} does: correct linkerd-multicluster:clusters.${target}, its apiServer or its context`,
      ];
    }
    case "outOfReach":
      return [
        {
          sentence: `the token in ${where} was not tried, because the server in the same kubeconfig, ${trial.server}, can't be reached from here (${trial.why}): that is fine if pods in cluster ${source} can reach it, so check there`,
          severity: "warning",
        },
      ];
    case "accepted": {
      if (trial.denied.length === 0) return [];
      const denied = trial.denied.join(", ");
      return [
        {
          sentence: `the token in ${where} is not allowed to ${denied} in cluster ${target}: check what changed the ClusterRole or ClusterRoleBinding of its service account`,
          fix: refresh,
        },
      ];
    }
  }
}
