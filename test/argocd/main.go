// Runs one sync of Argo CD's engine with pruning: applies the manifests on standard input, and deletes the objects of
// an earlier sync that they no longer contain. Prints a line for each object, and fails if the sync of one does. The
// kubeconfig comes from the variable KUBECONFIG.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/engine"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
)

// Marks the objects of an application, as Argo CD does by default.
const trackingLabel = "app.kubernetes.io/instance"

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(application, namespace string) error {
	manifests, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	targets, err := kube.SplitYAML(manifests)
	if err != nil {
		return err
	}
	for _, target := range targets {
		labels := target.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[trackingLabel] = application
		target.SetLabels(labels)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	clusterCache := cache.NewClusterCache(config,
		cache.SetNamespaces([]string{namespace}),
		cache.SetPopulateResourceInfoHandler(func(object *unstructured.Unstructured, _ bool) (any, bool) {
			found := object.GetLabels()[trackingLabel]
			return found, found != ""
		}),
	)
	gitOps := engine.NewEngine(config, clusterCache)
	stop, err := gitOps.Run()
	if err != nil {
		return err
	}
	defer stop()
	isManaged := func(resource *cache.Resource) bool {
		return resource.Info == application && len(resource.OwnerRefs) == 0
	}
	results, err := gitOps.Sync(context.Background(), targets, isManaged, "main", namespace, sync.WithPrune(true))
	if err != nil {
		return err
	}
	for _, result := range results {
		fmt.Println(result.ResourceKey.String(), result.Status, result.Message)
	}
	for _, result := range results {
		if result.Status == "SyncFailed" {
			return fmt.Errorf("sync of %s failed", application)
		}
	}
	return nil
}
