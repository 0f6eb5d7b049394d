// The definitions of custom resources that relations know, pinned.
module gc-tree.dev/test/operators/definitions

go 1.26.0

require (
	github.com/kedacore/keda/v2 v2.21.0
	github.com/kubernetes-csi/external-snapshotter/client/v8 v8.7.0
	k8s.io/autoscaler/vertical-pod-autoscaler v1.8.1
	sigs.k8s.io/gateway-api v1.6.0
)
