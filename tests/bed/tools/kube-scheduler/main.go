// A scheduler for clusters of one node: it binds each pod to the first node that is ready, without weighing anything.
package main

import (
	"context"
	"flag"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "")
	qps := flag.Float64("kube-api-qps", 50, "")
	burst := flag.Int("kube-api-burst", 100, "")
	flag.String("leader-elect", "", "")
	flag.String("secure-port", "", "")
	flag.Parse()

	config := must(clientcmd.BuildConfigFromFlags("", *kubeconfig))
	config.ContentType, config.DisableCompression = runtime.ContentTypeProtobuf, true
	config.QPS, config.Burst = float32(*qps), *burst
	core := must(kubernetes.NewForConfig(config)).CoreV1()
	bind := func(object any) {
		pod := object.(*v1.Pod)
		nodes, err := core.Nodes().List(context.Background(), meta.ListOptions{})
		if err != nil {
			klog.Error(err)
			return
		}
		node := readyNode(nodes.Items)
		if node == "" || pod.DeletionTimestamp != nil || len(pod.Spec.SchedulingGates) > 0 {
			return
		}
		identity := meta.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
		binding := v1.Binding{ObjectMeta: identity, Target: v1.ObjectReference{Kind: "Node", Name: node}}
		if err := core.Pods(pod.Namespace).Bind(context.Background(), &binding, meta.CreateOptions{}); err != nil {
			klog.Error(err)
		}
	}
	_, pods := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(core.RESTClient(), "pods", v1.NamespaceAll,
			fields.OneTermEqualSelector("spec.nodeName", "")),
		ObjectType: &v1.Pod{},
		// A pod that could not be bound is tried again.
		ResyncPeriod: time.Second,
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    bind,
			UpdateFunc: func(_, pod any) { bind(pod) },
		},
	})
	pods.Run(context.Background().Done())
}

func readyNode(nodes []v1.Node) string {
	for _, node := range nodes {
		for _, condition := range node.Status.Conditions {
			if condition.Type == v1.NodeReady && condition.Status == v1.ConditionTrue && !node.Spec.Unschedulable {
				return node.Name
			}
		}
	}
	return ""
}

func must[T any](value T, err error) T {
	if err != nil {
		klog.Fatal(err)
	}
	return value
}
