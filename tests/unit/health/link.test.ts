import {
  credentialsExist,
  credentialsWork,
  linkResource,
} from "../../../engine/health/checks/link.ts";
import type { LinkReading, SecretReading, Trial } from "../../../engine/reading/reading.ts";
import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import {
  east,
  linkObject,
  linkReading,
  linkView,
  mesh,
  reading,
  secret,
  taken,
  tellsOf,
  unread,
  west,
} from "./views.ts";

describe("health of a link: the Link resource", () => {
  const tells = tellsOf(linkResource);
  const where = "Link east/linkerd-multicluster/west";
  const withLinks = (
    value: readonly LinkResource[] | undefined,
    view: Parameters<typeof linkView>[0] = {},
  ) => linkView({ source: reading(east, { links: { value } }), ...view });
  const withSpec = (spec: LinkResource["spec"], view: Parameters<typeof linkView>[0] = {}) =>
    withLinks([{ ...linkObject, spec: { ...linkObject.spec, ...spec } }], view);

  const missing = `fatal: there is no ${where}. Fix: pulumi up --refresh`;
  const elsewhere = { ...linkObject, metadata: { name: "west", namespace: "default" } };
  for (const links of [[], [elsewhere]])
    tells("is missing if there is none in the namespace", withLinks(links), [missing]);

  const flat = { link: { gateway: false } as const };
  const remedy = "check what else writes it. Fix: pulumi up --refresh";
  const wrong = {
    targetClusterName: "north",
    targetClusterDomain: "x.local",
    clusterCredentialsSecret: "mine",
    gatewayAddress: "192.0.2.99",
    gatewayPort: "443",
    gatewayIdentity: "",
  };
  const mistakes = [
    'targetClusterName "north" and should have "west"',
    'targetClusterDomain "x.local" and should have "cluster.local"',
    'clusterCredentialsSecret "mine" and should have "cluster-credentials-west"',
    'gatewayAddress "192.0.2.99" and should have "192.0.2.10"',
    'gatewayPort "443" and should have "4143"',
  ].map((mistake) => `fatal: ${where} has ${mistake}: ${remedy}`);
  tells("fails for each field with another value", withSpec(wrong), [
    ...mistakes,
    `fatal: ${where} has no gatewayIdentity and should have "gateway.west": ${remedy}`,
  ]);
  tells("fails for a gateway on a flat network", withSpec({}, flat), [
    `fatal: ${where} has gatewayAddress "192.0.2.10" and should have none, as the link has no gateway: ${remedy}`,
  ]);

  const unset = { gatewayAddress: "", gatewayPort: "", gatewayIdentity: "" };
  tells("passes without gateway fields on a flat network", withSpec(unset, flat));
  const unknown = { reading: linkReading({}, unread("no gateway")) };
  tells(
    "passes with any address if the gateway is unknown",
    withSpec({ gatewayAddress: "x" }, unknown),
  );
  tells("is skipped if Links are not served", withLinks(undefined), [
    "skipped: cluster east does not serve Links",
  ]);
});

const mirror = "Secret east/linkerd-multicluster/cluster-credentials-west";
const destination = "Secret east/linkerd/cluster-credentials-west";

function withSecrets(mirror?: SecretReading, destination?: SecretReading) {
  const credentials = { mirror: { value: mirror }, destination: { value: destination } };
  return linkView({ reading: linkReading({ credentials }) });
}

const failure = unread("not allowed");
const forbidden = linkView({
  reading: linkReading({ credentials: { mirror: failure, destination: failure } }),
});

describe("health of a link: the credentials Secrets", () => {
  const tells = tellsOf(credentialsExist);
  const fix = "Fix: pulumi up --refresh";
  tells("are reported missing one by one", withSecrets(), [
    `error: there is no ${mirror}. ${fix}`,
    `error: there is no ${destination}. ${fix}`,
  ]);
  const annotations = { "multicluster.linkerd.io/trust-domain": "other" };
  const lacking = withSecrets(
    secret("mirror", { type: "Opaque" }),
    secret("destination", { labels: {}, annotations }),
  );
  const passedOver = "or Linkerd ignores it. Fix: pulumi up --refresh";
  tells("fail with another type, label or annotation than Linkerd expects", lacking, [
    `error: ${mirror} has type Opaque and must have mirror.linkerd.io/remote-kubeconfig, ${passedOver}`,
    `error: ${destination} has no label multicluster.linkerd.io/cluster-name and must have one, ${passedOver}`,
    `error: ${destination} has annotation multicluster.linkerd.io/trust-domain "other" and must have "trust.example", ${passedOver}`,
    `error: ${destination} has no annotation multicluster.linkerd.io/cluster-domain and must have one, ${passedOver}`,
  ]);
  const othersGive = (destination: NonNullable<LinkReading["destination"]>) =>
    linkView({
      mesh: mesh({ manage: "mirrors" }),
      reading: linkReading({ destination }),
    });
  tells(
    "are missing for pods of the target, which others would have to give",
    othersGive({ value: false }),
    [
      "warning: Linkerd in cluster east has no credentials for west in namespace linkerd, so it finds no pods of west for federated Services and other mirrors that lead to pods: create the Secret with linkerd multicluster link-gen, or set manage: links",
    ],
  );
  tells("pass if others have given those", othersGive({ value: true }));
  tells("are not judged if the runner may not list them", othersGive({ value: undefined }), [
    "skipped: the runner may not list Secrets in east/linkerd",
  ]);
  const target = reading(west, { config: { value: undefined } });
  tells("pass with any domains if those of the target are unknown", linkView({ target }));
  const errors = Array<string>(2).fill("error: not allowed");
  tells("fail if they can't be read", forbidden, errors);
});

describe("health of a link: the credentials", () => {
  const tells = tellsOf(credentialsWork);
  const server = "https://west.example.com";
  function work(name: string, trial: Trial, lines: readonly string[]): void {
    const tried = withSecrets(secret("mirror", { trial }), secret("destination"));
    tells(name, tried, lines);
  }
  const rule = "one whose user has a token";
  work("fail without a kubeconfig that Linkerd can use", { outcome: "unusable", rule }, [
    `error: the kubeconfig in ${mirror} must be one whose user has a token. Fix: pulumi up --refresh`,
  ]);
  work(
    "fail if the server rejects them",
    { outcome: "refused", server, why: "the token is rejected" },
    [
      `error: the credentials in ${mirror} do not work at ${server}: the token is rejected. Fix: pulumi up --refresh`,
    ],
  );
  work("fail if they lead to another cluster", { outcome: "elsewhere", server }, [
    `error: the credentials in ${mirror} lead to another cluster at ${server} than context k3d-west does: correct linkerd-multicluster:clusters.west, its apiServer or its context`,
  ]);
  work(
    "fail without the rights that Linkerd needs",
    { ...taken, denied: ["list services", "list endpoints"] },
    [
      `error: the token in ${mirror} is not allowed to list services, list endpoints in cluster west: check what changed the ClusterRole or ClusterRoleBinding of its service account. Fix: pulumi up --refresh`,
    ],
  );
  work(
    "are a warning if their server can't be reached",
    { outcome: "outOfReach", server, why: "DNS" },
    [
      `warning: the token in ${mirror} was not tried, because the server in the same kubeconfig, ${server}, can't be reached from here (DNS): that is fine if pods in cluster east can reach it, so check there`,
    ],
  );
  tells("are skipped if no Secret can be read", forbidden, [
    "skipped: there are no credentials to try",
  ]);
});
