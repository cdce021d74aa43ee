package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/argoproj/gitops-engine/pkg/diff"
	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kube-openapi/pkg/util/proto"
)

const (
	// The field manager of Argo CD.
	manager = "argocd-controller"
	timeout = 30 * time.Second
)

var quiet = diff.WithLogr(logr.Discard())

// Difference is how Argo CD compares one object with what the cluster has, in each of its ways: what it would change, or
// null where the object is in sync.
type Difference struct {
	Kind       string                     `json:"kind"`
	Name       string                     `json:"name"`
	OutOfSync  map[string]json.RawMessage `json:"outOfSync"`
	HasApplied bool                       `json:"hasLastApplied"`
}

func differences(kubeconfig string, application []string, objects []unstructured.Unstructured) ([]Difference, error) {
	ignored := ignoreDifferences{}
	for _, path := range application {
		if err := ignored.read(path); err != nil {
			return nil, err
		}
	}
	cluster, err := connect(kubeconfig)
	if err != nil {
		return nil, err
	}
	found := []Difference{}
	for _, object := range objects {
		difference, err := cluster.compare(&object, ignored)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
		found = append(found, difference)
	}
	return found, nil
}

type cluster struct {
	client    dynamic.Interface
	resources map[string]metav1.APIResource
	types     *managedfields.GvkParser
}

func connect(kubeconfig string) (*cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.Timeout = timeout
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	discovered, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	lists, err := discovered.ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	resources := map[string]metav1.APIResource{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			resources[list.GroupVersion+"/"+resource.Kind] = resource
		}
	}
	document, err := discovered.OpenAPISchema()
	if err != nil {
		return nil, err
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		return nil, err
	}
	types, err := managedfields.NewGVKParser(models, false)
	if err != nil {
		return nil, err
	}
	return &cluster{client: client, resources: resources, types: types}, nil
}

func (c *cluster) compare(wanted *unstructured.Unstructured, ignored ignoreDifferences) (Difference, error) {
	found := Difference{Kind: wanted.GetKind(), Name: wanted.GetName(), OutOfSync: map[string]json.RawMessage{}}
	client, err := c.of(wanted)
	if err != nil {
		return found, err
	}
	live, err := client.Get(context.Background(), wanted.GetName(), metav1.GetOptions{})
	if err != nil {
		return found, err
	}
	_, found.HasApplied = live.GetAnnotations()["kubectl.kubernetes.io/last-applied-configuration"]
	serverSide := []diff.Option{diff.WithServerSideDiff(true), diff.WithServerSideDryRunner(dryRun{client})}
	ways := map[string][]diff.Option{
		"legacy":                     {},
		"structuredMerge":            {diff.WithStructuredMergeDiff(true)},
		"serverSide":                 serverSide,
		"serverSideWithTheMutations": append([]diff.Option{diff.WithIgnoreMutationWebhook(false)}, serverSide...),
	}
	for way, options := range ways {
		options = append(options, diff.WithNormalizer(ignored), diff.WithGVKParser(c.types), diff.WithManager(manager), quiet)
		result, err := diff.Diff(wanted.DeepCopy(), live.DeepCopy(), options...)
		if err != nil {
			return found, fmt.Errorf("%s: %w", way, err)
		}
		found.OutOfSync[way] = nil
		if result.Modified {
			change, err := jsonpatch.CreateMergePatch(result.NormalizedLive, result.PredictedLive)
			if err != nil {
				return found, err
			}
			found.OutOfSync[way] = change
		}
	}
	return found, nil
}

func (c *cluster) of(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	resource, known := c.resources[kind.GroupVersion().String()+"/"+kind.Kind]
	if !known {
		return nil, fmt.Errorf("the API server does not serve %s", kind)
	}
	client := c.client.Resource(kind.GroupVersion().WithResource(resource.Name))
	if resource.Namespaced {
		return client.Namespace(object.GetNamespace()), nil
	}
	return client, nil
}

// dryRun asks the API server what an apply of Argo CD would come to.
type dryRun struct {
	client dynamic.ResourceInterface
}

func (d dryRun) Run(ctx context.Context, object *unstructured.Unstructured, manager string) (string, error) {
	bytes, err := json.Marshal(object)
	if err != nil {
		return "", err
	}
	force := true
	options := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: manager, Force: &force}
	predicted, err := d.client.Patch(ctx, object.GetName(), types.ApplyPatchType, bytes, options)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(predicted)
	return string(text), err
}
