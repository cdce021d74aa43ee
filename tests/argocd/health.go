package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/argoproj/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Judgement is what the script says, and what Argo CD shows: the engine does not ask the script of an object that is
// being deleted.
type Judgement struct {
	Script health.HealthStatus `json:"script"`
	Shown  health.HealthStatus `json:"shown"`
}

func judge(folder string, object *unstructured.Unstructured) (Judgement, error) {
	said, err := scripts(folder).GetResourceHealth(object)
	if err != nil {
		return Judgement{}, err
	}
	shown, err := health.GetResourceHealth(object, scripts(folder))
	if err != nil {
		return Judgement{}, err
	}
	return Judgement{Script: *said, Shown: *shown}, nil
}

// The folder resource_customizations, as an override of the engine's own judgement.
type scripts string

func (folder scripts) GetResourceHealth(object *unstructured.Unstructured) (*health.HealthStatus, error) {
	script, err := os.ReadFile(filepath.Join(folder.of(object), "health.lua"))
	if err != nil {
		return nil, err
	}
	answer, err := evaluate(string(script), object)
	if err != nil {
		return nil, err
	}
	status := &health.HealthStatus{}
	if err := json.Unmarshal(answer, status); err != nil {
		return nil, err
	}
	switch status.Status {
	case health.HealthStatusProgressing, health.HealthStatusHealthy, health.HealthStatusSuspended, health.HealthStatusDegraded,
		health.HealthStatusMissing, health.HealthStatusUnknown:
		return status, nil
	}
	return nil, fmt.Errorf("%q is no health that Argo CD knows", status.Status)
}

func (folder scripts) of(object *unstructured.Unstructured) string {
	kind := object.GroupVersionKind()
	return filepath.Join(string(folder), kind.Group, kind.Kind)
}
