package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Action is one entry of an object's menu.
type Action struct {
	Name     string `json:"name"`
	Disabled bool   `json:"disabled"`
}

func discover(folder string, object *unstructured.Unstructured) ([]Action, error) {
	actions := []Action{}
	script, err := os.ReadFile(filepath.Join(scripts(folder).of(object), "actions", "discovery.lua"))
	if os.IsNotExist(err) {
		return actions, nil
	} else if err != nil {
		return nil, err
	}
	answer, err := evaluate(string(script), object)
	if err != nil {
		return nil, err
	}
	found := map[string]Action{}
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, err
	}
	for name, action := range found {
		actions = append(actions, Action{Name: name, Disabled: action.Disabled})
	}
	sort.Slice(actions, func(i, j int) bool { return actions[i].Name < actions[j].Name })
	return actions, nil
}

// patchOf is what Argo CD sends to the API server for an action.
func patchOf(folder, action string, object *unstructured.Unstructured) (json.RawMessage, error) {
	after, err := act(folder, action, object)
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return jsonpatch.CreateMergePatch(before, after)
}

func act(folder, action string, object *unstructured.Unstructured) ([]byte, error) {
	script, err := os.ReadFile(filepath.Join(scripts(folder).of(object), "actions", action, "action.lua"))
	if err != nil {
		return nil, err
	}
	answer, err := evaluate(string(script), object)
	if err != nil {
		return nil, err
	}
	after := map[string]any{}
	if err := json.Unmarshal(answer, &after); err != nil {
		return nil, err
	}
	return json.Marshal(restoreEmpty(after, object.Object))
}

// Lua has one empty table for lists and objects and it comes back as a list. Argo CD, too, restores what was an object.
func restoreEmpty(after, before any) any {
	switch after := after.(type) {
	case map[string]any:
		if before, same := before.(map[string]any); same {
			for key := range after {
				after[key] = restoreEmpty(after[key], before[key])
			}
		}
	case []any:
		if before, was := before.(map[string]any); was && len(after) == 0 {
			return before
		}
		if before, same := before.([]any); same {
			for i := range min(len(after), len(before)) {
				after[i] = restoreEmpty(after[i], before[i])
			}
		}
	}
	return after
}
