package main

import (
	"github.com/argoproj/gitops-engine/pkg/sync/syncwaves"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Wave is in which part of a sync an object goes.
type Wave struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Wave int    `json:"wave"`
}

func waves(objects []unstructured.Unstructured) (any, error) {
	found := []Wave{}
	for _, object := range objects {
		found = append(found, Wave{Kind: object.GetKind(), Name: object.GetName(), Wave: syncwaves.Wave(&object)})
	}
	return found, nil
}
