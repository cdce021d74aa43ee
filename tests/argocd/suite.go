package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sort"

	"github.com/argoproj/gitops-engine/pkg/diff"
	"github.com/argoproj/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The files' format is that of Argo CD's own repository.
type healthTests struct {
	Tests []struct {
		InputPath    string              `json:"inputPath"`
		HealthStatus health.HealthStatus `json:"healthStatus"`
	} `json:"tests"`
}

type actionTests struct {
	DiscoveryTests []struct {
		InputPath string   `json:"inputPath"`
		Result    []Action `json:"result"`
	} `json:"discoveryTests"`
	ActionTests []struct {
		Action             string `json:"action"`
		InputPath          string `json:"inputPath"`
		ExpectedOutputPath string `json:"expectedOutputPath"`
	} `json:"actionTests"`
}

// runSuite runs every test below a folder and names those that passed; all that failed are one error.
func runSuite(folder string) ([]string, error) {
	passed, failed := []string{}, []error{}
	note := func(name string, err error) {
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		} else {
			passed = append(passed, name)
		}
	}
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		beside := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
		switch filepath.Base(path) {
		case "health_test.yaml":
			tests := healthTests{}
			if err := readYAML(path, &tests); err != nil {
				return err
			}
			for _, test := range tests.Tests {
				note(beside(test.InputPath), testHealth(folder, beside(test.InputPath), test.HealthStatus))
			}
		case "action_test.yaml":
			tests := actionTests{}
			if err := readYAML(path, &tests); err != nil {
				return err
			}
			for _, test := range tests.DiscoveryTests {
				note("actions of "+beside(test.InputPath), testDiscovery(folder, beside(test.InputPath), test.Result))
			}
			for _, test := range tests.ActionTests {
				err := testAction(folder, test.Action, beside(test.InputPath), beside(test.ExpectedOutputPath))
				note(test.Action+" of "+beside(test.InputPath), err)
			}
		}
		return nil
	})
	sort.Strings(passed)
	return passed, errors.Join(append(failed, err)...)
}

func testHealth(folder, input string, want health.HealthStatus) error {
	object, err := readObject(input)
	if err != nil {
		return err
	}
	got, err := scripts(folder).GetResourceHealth(object)
	if err != nil {
		return err
	}
	if got.Status != want.Status || got.Message != want.Message {
		return fmt.Errorf("want %s %q, got %s %q", want.Status, want.Message, got.Status, got.Message)
	}
	return nil
}

func testDiscovery(folder, input string, want []Action) error {
	object, err := readObject(input)
	if err != nil {
		return err
	}
	got, err := discover(folder, object)
	if err != nil {
		return err
	}
	sort.Slice(want, func(i, j int) bool { return want[i].Name < want[j].Name })
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("want %v, got %v", want, got)
	}
	return nil
}

func testAction(folder, action, input, expected string) error {
	object, err := readObject(input)
	if err != nil {
		return err
	}
	want, err := readObject(expected)
	if err != nil {
		return err
	}
	bytes, err := act(folder, action, object)
	if err != nil {
		return err
	}
	got := &unstructured.Unstructured{}
	if err := json.Unmarshal(bytes, &got.Object); err != nil {
		return err
	}
	result, err := diff.Diff(want, got, diff.WithNormalizer(withoutTime{}), quiet)
	if err != nil {
		return err
	}
	if result.Modified {
		return fmt.Errorf("want %s, got %s", result.PredictedLive, result.NormalizedLive)
	}
	return nil
}

// withoutTime lets the time of a restart pass, as Argo CD's own tests do.
type withoutTime struct{}

func (withoutTime) Normalize(object *unstructured.Unstructured) error {
	path := []string{"spec", "template", "metadata", "annotations"}
	annotations, _, err := unstructured.NestedStringMap(object.Object, path...)
	if err != nil || annotations["kubectl.kubernetes.io/restartedAt"] == "" {
		return err
	}
	annotations["kubectl.kubernetes.io/restartedAt"] = "whenever"
	return unstructured.SetNestedStringMap(object.Object, annotations, path...)
}

func readObject(path string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	return object, readYAML(path, &object.Object)
}

func readYAML(path string, into any) error {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(bytes, into)
}
