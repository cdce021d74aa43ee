package main

import (
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/itchyny/gojq"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ignoreDifferences is spec.ignoreDifferences of an Application, done to both sides before they are compared.
type ignoreDifferences []struct {
	Group             string   `json:"group"`
	Kind              string   `json:"kind"`
	Name              string   `json:"name"`
	JSONPointers      []string `json:"jsonPointers"`
	JQPathExpressions []string `json:"jqPathExpressions"`
}

func (i *ignoreDifferences) read(path string) error {
	application := struct {
		Spec struct {
			IgnoreDifferences ignoreDifferences `json:"ignoreDifferences"`
		} `json:"spec"`
	}{}
	err := readYAML(path, &application)
	*i = application.Spec.IgnoreDifferences
	return err
}

func (i ignoreDifferences) Normalize(object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind()
	for _, entry := range i {
		if entry.Group != kind.Group || entry.Kind != kind.Kind || (entry.Name != "" && entry.Name != object.GetName()) {
			continue
		}
		for _, pointer := range entry.JSONPointers {
			if err := dropPointer(object, pointer); err != nil {
				return err
			}
		}
		for _, expression := range entry.JQPathExpressions {
			if err := dropPaths(object, expression); err != nil {
				return err
			}
		}
	}
	return nil
}

func dropPointer(object *unstructured.Unstructured, pointer string) error {
	before, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	patch, err := jsonpatch.DecodePatch(fmt.Appendf(nil, `[{"op": "remove", "path": %q}]`, pointer))
	if err != nil {
		return err
	}
	options := jsonpatch.NewApplyOptions()
	options.AllowMissingPathOnRemove = true
	after, err := patch.ApplyWithOptions(before, options)
	if err != nil {
		return err
	}
	return object.UnmarshalJSON(after)
}

func dropPaths(object *unstructured.Unstructured, expression string) error {
	query, err := gojq.Parse("del(" + expression + ")")
	if err != nil {
		return fmt.Errorf("%s: %w", expression, err)
	}
	// A copy of plain JSON values: jq knows no 64-bit integers.
	before, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	var plain map[string]any
	if err := json.Unmarshal(before, &plain); err != nil {
		return err
	}
	value, _ := query.Run(plain).Next()
	after, isObject := value.(map[string]any)
	if !isObject {
		return fmt.Errorf("%s: %v", expression, value)
	}
	bytes, err := json.Marshal(after)
	if err != nil {
		return err
	}
	return object.UnmarshalJSON(bytes)
}
