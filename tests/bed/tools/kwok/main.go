// kwok without kustomize and the kubelet's server: the bed has its stages in one file, and asks no pod for its logs.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/apis/v1alpha1"
	"sigs.k8s.io/kwok/pkg/client/clientset/versioned"
	"sigs.k8s.io/kwok/pkg/kwok/controllers"
	"sigs.k8s.io/kwok/pkg/utils/client"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "")
	stages := flag.String("config", "", "")
	node := flag.String("manage-single-node", "", "")
	cidr := flag.String("cidr", "", "")
	lease := flag.Uint("node-lease-duration-seconds", 40, "")
	flag.Parse()

	ctx := context.Background()
	clients := must(client.NewClientset("", *kubeconfig))
	config := must(clients.ToRESTConfig())
	controller := must(controllers.NewController(controllers.Config{
		Clock:                         clock.RealClock{},
		DynamicClient:                 must(clients.ToDynamicClient()),
		RESTClient:                    must(rest.RESTClientFor(config)),
		RESTMapper:                    must(clients.ToRESTMapper()),
		ImpersonatingDynamicClient:    clients.ToImpersonatingDynamicClient(),
		ImpersonatingTypedClient:      clients.ToImpersonatingTypedClient(),
		TypedClient:                   must(kubernetes.NewForConfig(config)),
		TypedKwokClient:               must(versioned.NewForConfig(config)),
		ManageSingleNode:              *node,
		CIDR:                          *cidr,
		PodPlayStageParallelism:       4,
		NodePlayStageParallelism:      4,
		LocalStages:                   stagesIn(must(os.Open(*stages))),
		NodeLeaseParallelism:          4,
		NodeLeaseDurationSeconds:      *lease,
		ID:                            must(controllers.Identity()),
		PodsOnNodeSyncParallelism:     1,
		EnablePodsOnNodeSyncListPager: true,
	}))
	if err := controller.Start(ctx); err != nil {
		log.Fatal(err)
	}
	select {}
}

func stagesIn(file io.Reader) map[internalversion.StageResourceRef][]*internalversion.Stage {
	stages := map[internalversion.StageResourceRef][]*internalversion.Stage{}
	for documents := yaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		var stage v1alpha1.Stage
		err := documents.Decode(&stage)
		if errors.Is(err, io.EOF) {
			return stages
		}
		if err != nil {
			log.Fatal(err)
		}
		v1alpha1.SetObjectDefaults_Stage(&stage)
		internal := must(internalversion.ConvertToInternalStage(&stage))
		stages[internal.Spec.ResourceRef] = append(stages[internal.Spec.ResourceRef], internal)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
