// A kubelet whose container runtime, cadvisor and mounts are the fakes of Kubernetes' kubemark: it registers a Node and
// mirrors static pods as any other. It takes four arguments: kubeconfig, name of the node, folder of manifests, own folder.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	remote "k8s.io/cri-client/pkg"
	fakeremote "k8s.io/cri-client/pkg/fake"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubemark"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, kubeconfig, node, manifests, folder string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	endpoint, err := fakeremote.GenerateEndpoint()
	if err != nil {
		return err
	}
	containers := fakeremote.NewFakeRemoteRuntime()
	if err := containers.Start(endpoint); err != nil {
		return err
	}
	defer containers.Stop()
	runtimeService, err := remote.NewRemoteRuntimeService(ctx, endpoint, time.Minute, noop.NewTracerProvider(), false)
	if err != nil {
		return err
	}
	flags, settings := kubemark.GetHollowKubeletConfig(&kubemark.HollowKubeletOptions{NodeName: node, MaxPods: 10})
	flags.RootDirectory = folder
	settings.EnableServer = false
	settings.StaticPodPath = manifests
	settings.FileCheckFrequency.Duration = time.Second
	// As by default, so that the kubelet keeps a CSINode.
	settings.EnableControllerAttachDetach = true
	kubemark.NewHollowKubelet(
		flags, settings, client, client, &testing.Fake{NodeName: node},
		containers.ImageService, runtimeService, cm.NewStubContainerManager(),
	).Run(ctx)
	return nil
}
