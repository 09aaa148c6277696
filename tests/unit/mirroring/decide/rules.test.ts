import { linkDefaults } from "../../../../engine/model/link.ts";
import { testScenarios } from "../../fixtures/scenario.ts";

const excluded = linkDefaults.excludedNamespaces.map((name) => JSON.stringify(name)).join(", ");
const excluding = `link west: { excludedNamespaces: [${excluded}] }`;
const naming = 'link west: { namespaces: [sho, "team-*"] }';
const creating = "link west: { createNamespaces: true }";
const mirrored = "mirrored=true";
/** `a0=x a1=x …`, as labels or annotations. */
const many = (count: number, sign = "", text = "x") =>
  Array.from({ length: count }, (_, n) => `${sign}a${n}=${text}`).join(" ");
/** The mirrors' names, which end in `-west`, have 63 and 64 characters. */
const [longest, tooLong] = ["w".repeat(58), "w".repeat(59)];
const elsewhere = "remove the Service's label, or set excludedNamespaces without that";
const terminating =
  "! TerminatingNamespace shop/web: the namespace shop is being deleted on east: run again when it is gone";
const unnamed =
  "namespaces of link east → west does not name shop: remove the Service's label, or add the namespace there";
const own = ["linkerd", "linkerd-multicluster", "linkerd-viz", "linkerd-jaeger"];

describe("Services that can be mirrored (linkerd-behaviour.md 2.2, 2.3, 2.16)", () => {
  testScenarios(`
# are exported ones, under their name and the target's
west: shop/web
+ gateway shop/web-west
# may have as many ports as a mirror
west: shop/web(:*100)
+ gateway shop/web-west
# may have as many labels as a mirror
west: shop/web(${many(128)})
+ gateway shop/web-west
# may have labels that stay behind
west: shop/web(${many(129)}); link west: { excludedLabels: [a0] }
+ gateway shop/web-west
# may have a mirror whose name has 63 characters
west: shop/${longest}
+ gateway shop/${longest}-west
# may be in a missing namespace, with createNamespaces
west: shop/web; east: nothing; ${creating}
+ namespace shop, gateway shop/web-west
# may be in kube-system like in any other namespace, if no link leaves it out
west: kube-system/dns
+ gateway kube-system/dns-west
# may be in a namespace that only begins like one of Linkerd's
west: linkerd-demo/web; ${excluding}
+ gateway linkerd-demo/web-west
# may be in a namespace that is named by its beginning
west: team-a/web; ${naming}
+ gateway team-a/web-west
`);
});

describe("Services that get only a reason", () => {
  testScenarios(`
# have more ports than a mirror may have
west: shop/web(:*101)
! TooLarge shop/web: it has 101 ports and a mirror has at most 100: divide it into several Services
# have more labels than a mirror may have
west: shop/web(${many(129)})
! TooLarge shop/web: it has 129 labels and a mirror has at most 128: leave some out with excludedLabels on the link
# have more annotations than a mirror may have
west: shop/web(${many(129, "@")})
! TooLarge shop/web: it has 129 annotations and a mirror has at most 128: leave some out with excludedAnnotations on the link
# have labels and annotations that are longer than a mirror's may be
west: shop/web(${many(10)} ${many(3, "@", "é".repeat(15_000))})
! TooLarge shop/web: its labels and annotations have 90,036 bytes and those of a mirror at most 65,536: leave some out with excludedLabels and excludedAnnotations on the link
# are mirrors, even if a selector matches them
west: shop/web-x(${mirrored})
! IsMirror shop/web-x: it is itself a mirror in west: exclude mirrors with the link's selectors
# are aliases in DNS
west: shop/web(alias)
! ExternalName shop/web: an ExternalName Service is an alias in DNS: export the Service it stands for
# have no ports
west: shop/web(:)
! NoPorts shop/web: it has no ports: add one, because a Service without ports can't be mirrored
# would have a mirror whose name has 64 characters
west: shop/${tooLong}
! NameTooLong shop/${tooLong}: the mirror's name ${tooLong}-west has 64 characters and Kubernetes allows 63: shorten the name of the Service, the pod or the cluster, or set names on the link
# would have a mirror whose name does not begin with a letter
west: shop/3web
! InvalidName shop/3web: the mirror's name 3web-west does not begin with a letter, as the name of a Service must in Kubernetes: rename the Service or its StatefulSet, or set names on the link
# are in a missing namespace, which is not created unasked
west: shop/web; east: nothing
! MissingNamespace shop/web: east has no namespace shop: create it there, or set createNamespaces on the link | east: kubectl create namespace shop
# are in a namespace on its way out
west: shop/web; east: shop/(going)
${terminating}
# are in a namespace on its way out, with createNamespaces
west: shop/web; east: shop/(going); ${creating}
${terminating}
# are in Linkerd's own namespaces
west: ${own.map((name) => `${name}/web`).join(" ")}; ${excluding}
${own.map((name) => `! ExcludedNamespace ${name}/web: excludedNamespaces of link east → west names ${name}: ${elsewhere}`).join("\n")}
# are labelled like the kubelet, to which the source's Prometheus would send its token
west: kube-system/kubelet(k8s-app=kubelet); ${excluding}
! ExcludedNamespace kube-system/kubelet: excludedNamespaces of link east → west names kube-system, as kube-*: ${elsewhere}
# are in a namespace that the link does not name, headless Services too
west: shop/db(headless); ${naming}
! ExcludedNamespace shop/db: ${unnamed}
# are in a namespace that is both named and excluded
west: team-a/web; link west: { namespaces: [team-a], excludedNamespaces: ["team-*"] }
! ExcludedNamespace team-a/web: excludedNamespaces of link east → west names team-a, as team-*: ${elsewhere}
# are none in an excluded namespace if the selector matches unlabelled Services
west: kube-system/dns(plain) shop/web(plain)
link west: { excludedNamespaces: ["kube-*", linkerd-multicluster], selector: { matchExpressions: [{ key: private, operator: DoesNotExist }] } }
+ gateway shop/web-west
# are none without an export label
west: shop/web(exported=false :)
none
# have of several obstacles the first
west: shop/${tooLong}(alias ${mirrored} :); east: nothing; ${naming}
! ExcludedNamespace shop/${tooLong}: ${unnamed}
`);
});
