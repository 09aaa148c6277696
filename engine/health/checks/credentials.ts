import { credentialsSecrets, type SecretHead } from "../../credentials/objects.ts";
import type { StringMap } from "../../kubernetes/objects/objects.ts";
import { type HealthCheck, type Finding, unreadCluster, type Findings } from "../check.ts";
import type { CheckedLink, SecretReading } from "../view.ts";

const kinds = ["mirror", "destination"] as const;

export const credentialsExist: HealthCheck<CheckedLink> = {
  id: "credentials-exist",
  title: "both credentials Secrets exist as Linkerd expects them",
  anchor: "l5d-smc-target-clusters-access",
  severity: "error",
  aboutLinkerd: true,
  run: (view) => {
    const { credentials } = view.reading;
    if (credentials === undefined) return unreadEnd(view);
    const heads = headsOf(view);
    return kinds.flatMap((kind) => {
      const where = nameOf(view, heads[kind]);
      const secret = credentials[kind];
      if ("why" in secret) return [secret.why];
      if (secret.value === undefined)
        return [`there is no ${where}: run pulumi up --refresh, which creates it`];
      return misfits(where, heads[kind], secret.value);
    });
  },
};

export const credentialsWork: HealthCheck<CheckedLink> = {
  id: "credentials-work",
  title: "the credentials work in the target cluster",
  anchor: "l5d-smc-target-clusters-access",
  severity: "error",
  aboutLinkerd: true,
  run: (view) => {
    const { credentials } = view.reading;
    if (credentials === undefined) return unreadEnd(view);
    const heads = headsOf(view);
    const tried = kinds.flatMap((kind) => {
      const secret = credentials[kind];
      if ("why" in secret || secret.value === undefined) return [];
      return [trial(nameOf(view, heads[kind]), secret.value, view)];
    });
    return tried.length === 0 ? { skipped: "there are no credentials to try" } : tried.flat();
  },
};

function unreadEnd({ link, source }: CheckedLink): Findings {
  return unreadCluster(source.linkerd === undefined ? link.source : link.target);
}

/** The Secrets as they must be; an annotation whose value is not known is left empty. */
function headsOf({ mesh, link, target }: CheckedLink) {
  const domains = target.linkerd?.domains;
  const known = domains !== undefined && "value" in domains ? domains.value : undefined;
  return credentialsSecrets(link.target, known ?? { trustDomain: "", clusterDomain: "" }, {
    linkerd: mesh.linkerdNamespace,
    multicluster: mesh.multiclusterNamespace,
  });
}

function nameOf({ link }: CheckedLink, { metadata }: SecretHead<string>): string {
  return `Secret ${link.source}/${metadata.namespace}/${metadata.name}`;
}

function misfits(where: string, head: SecretHead<string>, secret: SecretReading): Finding[] {
  const { labels, annotations } = head.metadata;
  const problems = [
    ...(secret.type === head.type ? [] : [`has type ${secret.type} and must have ${head.type}`]),
    ...differences("label", labels ?? {}, secret.labels),
    ...differences("annotation", annotations ?? {}, secret.annotations),
  ];
  return problems.map(
    (problem) => `${where} ${problem}, or Linkerd ignores it: run pulumi up --refresh`,
  );
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
      return [`the kubeconfig in ${where} must be ${trial.rule}: run pulumi up --refresh`];
    case "refused":
      return [
        `the credentials in ${where} do not work at ${trial.server}: ${trial.why}; run pulumi up --refresh, which creates new ones where they are gone`,
      ];
    case "elsewhere": {
      const context = mesh.clusters[target]?.context ?? target;
      return [
        `the credentials in ${where} lead to another cluster at ${trial.server} than context ${context} does: correct linkerd-multicluster:clusters.${target}, its apiServer or its context`,
      ];
    }
    case "accepted": {
      const denied = trial.denied.join(", ");
      return [
        ...(denied === ""
          ? []
          : [
              `the token in ${where} is not allowed to ${denied} in cluster ${target}: check the ClusterRole and ClusterRoleBinding of its service account for changes, which pulumi up --refresh undoes`,
            ]),
        ...(trial.detour === undefined
          ? []
          : [
              {
                sentence: `the token in ${where} works, but the server in the same kubeconfig, ${trial.server}, can't be reached from here (${trial.detour}): that is fine if pods in cluster ${source} can reach it, so check there`,
                severity: "warning" as const,
              },
            ]),
      ];
    }
  }
}
