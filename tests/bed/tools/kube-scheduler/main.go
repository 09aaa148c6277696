// kube-scheduler without the server around it: the bed neither asks it for metrics nor elects it.
package main

import (
	"context"
	"flag"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "")
	qps := flag.Float64("kube-api-qps", 50, "")
	burst := flag.Int("kube-api-burst", 100, "")
	flag.String("leader-elect", "", "")
	flag.String("secure-port", "", "")
	flag.Parse()

	ctx := context.Background()
	config := must(clientcmd.BuildConfigFromFlags("", *kubeconfig))
	config.ContentType, config.DisableCompression = runtime.ContentTypeProtobuf, true
	config.QPS, config.Burst = float32(*qps), *burst
	client := must(kubernetes.NewForConfig(config))
	broadcaster := events.NewEventBroadcasterAdapterWithContext(ctx, client)
	broadcaster.StartRecordingToSink(ctx.Done())
	recorder := func(name string) events.EventRecorderLogger { return broadcaster.NewRecorder(name) }
	informers := scheduler.NewInformerFactory(client, 0)
	others := dynamicinformer.NewFilteredDynamicSharedInformerFactory(
		must(dynamic.NewForConfig(config)), 0, corev1.NamespaceAll, nil)
	it := must(scheduler.New(ctx, client, informers, others, recorder, scheduler.WithKubeConfig(config)))
	informers.Start(ctx.Done())
	others.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	others.WaitForCacheSync(ctx.Done())
	if err := it.WaitForHandlersSync(ctx); err != nil {
		klog.Fatal(err)
	}
	it.Run(ctx)
}

func must[T any](value T, err error) T {
	if err != nil {
		klog.Fatal(err)
	}
	return value
}
