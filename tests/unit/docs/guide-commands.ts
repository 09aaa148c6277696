/** The commands of Linkerd's guides that this repository follows, word for word, each once. */
export const guides: readonly { readonly heading: string; readonly commands: readonly string[] }[] =
  [
    {
      heading: "Multi-cluster communication with StatefulSets",
      commands: [
        "git clone git@github.com:mateiidavid/l2d-k3d-statefulset.git",
        "cd l2d-k3d-statefulset",
        "./create.sh",
        "k3d cluster list",
        "./install.sh",
        'linkerd multicluster link --set "enableHeadlessServices=true"',
        "./link.sh",
        "./deploy.sh",
        "kubectl --context=k3d-east get pods",
        "kubectl --context=k3d-west get services",
        "kubectl --context=k3d-west get pods",
        "kubectl --context=k3d-west get endpoints nginx-svc -o yaml",
        "kubectl --context=k3d-west apply -f east/curl.yml",
        "kubectl --context=k3d-west exec -it curl-56dc7d945d-s4n8j -c curl -- bin/sh",
        "curl nginx-set-0.nginx-svc.default.svc.west.cluster.local",
        'kubectl --context=k3d-west label service nginx-svc mirror.linkerd.io/exported="true"',
        "kubectl --context=k3d-east get services",
        "kubectl --context=k3d-east get endpoints nginx-svc-west -o yaml",
        "kubectl --context=k3d-east exec pod curl-56dc7d945d-96r6p -it -c curl -- bin/sh",
        "curl nginx-set-0.nginx-svc-west.default.svc.east.cluster.local",
        "k3d cluster delete east",
        "k3d cluster delete west",
      ],
    },
    {
      heading: "Multi-cluster federated Services",
      commands: [
        "kubectl config rename-context",
        "linkerd install",
        "linkerd viz install",
        ...["west", "east", "north"].flatMap((cluster) => [
          `linkerd --context ${cluster} multicluster install --gateway=false | kubectl --context ${cluster} apply -f -`,
          `linkerd --context ${cluster} check`,
          `cat <<EOF | linkerd --context ${cluster} inject - | kubectl --context ${cluster} apply -f -`,
          `kubectl --context ${cluster} -n mc-demo label svc/bb mirror.linkerd.io/federated=member`,
        ]),
        ...["east", "north"].flatMap((cluster) => [
          `linkerd --context ${cluster} multicluster link --cluster-name=${cluster} --gateway=false | kubectl --context west apply -f -`,
          `kubectl --context west -n linkerd-multicluster get link/${cluster} -ojsonpath='{.status.federatedServices}' | jq .`,
        ]),
        "kubectl --context west -n mc-demo get svc",
        "kubectl --context west -n mc-demo logs deploy/traffic -c traffic",
        "linkerd --context west diagnostics endpoints bb-federated.mc-demo.svc.cluster.local:8080",
      ],
    },
  ];
