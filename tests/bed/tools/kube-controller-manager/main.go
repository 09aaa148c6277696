// kube-controller-manager with no more controllers than the bed runs: those of volumes, certificates and machines would
// add as much again. It has the flags that the bed sets, and the defaults of the whole program.
package main

import (
	"context"
	"flag"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/endpoint"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/endpointslicemirroring"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	tokens "k8s.io/kubernetes/pkg/serviceaccount"
)

const resync = 12 * time.Hour

func main() {
	kubeconfig := flag.String("kubeconfig", "", "")
	key := flag.String("service-account-private-key-file", "", "")
	authority := flag.String("root-ca-file", "", "")
	qps := flag.Float64("kube-api-qps", 20, "")
	burst := flag.Int("kube-api-burst", 30, "")
	endpointSyncs := flag.Int("concurrent-endpoint-syncs", 5, "")
	sliceSyncs := flag.Int("concurrent-service-endpoint-syncs", 5, "")
	mirroringSyncs := flag.Int("mirroring-concurrent-service-endpoint-syncs", 5, "")
	namespaceSyncs := flag.Int("concurrent-namespace-syncs", 10, "")
	gcSyncs := flag.Int("concurrent-gc-syncs", 20, "")
	for _, settled := range []string{"controllers", "leader-elect", "secure-port"} {
		flag.String(settled, "", "")
	}
	flag.Parse()

	ctx := context.Background()
	config := must(clientcmd.BuildConfigFromFlags("", *kubeconfig))
	config.ContentType, config.DisableCompression = runtime.ContentTypeProtobuf, true
	config.QPS, config.Burst = float32(*qps), *burst
	client := must(kubernetes.NewForConfig(config))
	often := *config
	often.QPS, often.Burst = config.QPS*20, config.Burst*100
	namespaceClient := must(kubernetes.NewForConfig(&often))
	metadataClient := must(metadata.NewForConfig(&often))
	rootCA := must(os.ReadFile(*authority))
	generator := must(tokens.JWTTokenGenerator(tokens.LegacyIssuer, must(keyutil.PrivateKeyFromFile(*key))))

	shared := informers.NewSharedInformerFactory(client, resync)
	ofMetadata := metadatainformer.NewSharedInformerFactory(metadataClient, resync)
	all := informerfactory.NewInformerFactory(shared, ofMetadata)
	core, apps, slices := shared.Core().V1(), shared.Apps().V1(), shared.Discovery().V1().EndpointSlices()
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	started := make(chan struct{})
	graph := garbagecollector.NewDependencyGraphBuilder(
		ctx, metadataClient, mapper, garbagecollector.DefaultIgnoredResources(), all, started)
	garbage := must(garbagecollector.NewComposedGarbageCollector(ctx, client, metadataClient, mapper, graph))

	type controller interface{ Run(context.Context, int) }
	workers := map[controller]int{
		clusterroleaggregation.NewClusterRoleAggregation(shared.Rbac().V1().ClusterRoles(), client.RbacV1()): 5,
		must(deployment.NewDeploymentController(
			ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), client)): 5,
		endpoint.NewEndpointController(ctx, core.Pods(), core.Services(), core.Endpoints(), client, 0): *endpointSyncs,
		endpointslice.NewController(
			ctx, core.Pods(), core.Services(), core.Nodes(), slices, 100, client, 0): *sliceSyncs,
		endpointslicemirroring.NewController(
			ctx, core.Endpoints(), slices, core.Services(), 1000, client, 0): *mirroringSyncs,
		must(job.NewController(ctx, client, core.Pods(), shared.Batch().V1().Jobs(), nil, nil)): 5,
		namespace.NewNamespaceController(
			ctx, namespaceClient, metadataClient, namespaceClient.Discovery().ServerPreferredNamespacedResources,
			core.Namespaces(), 5*time.Minute, v1.FinalizerKubernetes): *namespaceSyncs,
		replicaset.NewReplicaSetController(
			ctx, apps.ReplicaSets(), core.Pods(), client, replicaset.BurstReplicas): 5,
		must(rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, rootCA)): 1,
		must(serviceaccount.NewServiceAccountsController(
			klog.FromContext(ctx), core.ServiceAccounts(), core.Namespaces(), client,
			serviceaccount.DefaultServiceAccountsControllerOptions())): 1,
		must(serviceaccount.NewTokensController(
			klog.FromContext(ctx), core.ServiceAccounts(), core.Secrets(), client,
			serviceaccount.TokensControllerOptions{TokenGenerator: generator, RootCA: rootCA})): 5,
		statefulset.NewStatefulSetController(
			ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), client): 5,
	}
	shared.Start(ctx.Done())
	ofMetadata.Start(ctx.Done())
	close(started)
	for each, count := range workers {
		go each.Run(ctx, count)
	}
	go wait.Until(mapper.Reset, 30*time.Second, ctx.Done())
	go garbage.Sync(ctx, client.Discovery(), 30*time.Second)
	garbage.Run(ctx, *gcSyncs, 30*time.Second)
}

func must[T any](value T, err error) T {
	if err != nil {
		klog.Fatal(err)
	}
	return value
}
