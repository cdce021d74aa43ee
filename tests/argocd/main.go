// What Argo CD would make of our objects, with its own engine: the health scripts and resource actions, the waves of a
// sync, and whether an object counts as out of sync. One command for each question; objects come in on standard input
// as JSON, answers go out as JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const usage = `usage: argocd suite FOLDER            run the tests beside the scripts of resource_customizations
       argocd health FOLDER           the health of the object on standard input
       argocd actions FOLDER          which actions that object offers
       argocd act FOLDER ACTION       the merge patch of an action on that object
       argocd waves                   the wave of each object of a list
       argocd diff KUBECONFIG [APPLICATION]  how each object of a list differs from the cluster's`

func main() {
	answer, err := run(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "argocd:", err)
		os.Exit(1)
	}
}

func run(arguments []string) (any, error) {
	if len(arguments) == 0 {
		return nil, errors.New(usage)
	}
	command, rest := arguments[0], arguments[1:]
	switch {
	case command == "suite" && len(rest) == 1:
		return runSuite(rest[0])
	case command == "health" && len(rest) == 1:
		return onObject(func(object *unstructured.Unstructured) (any, error) { return judge(rest[0], object) })
	case command == "actions" && len(rest) == 1:
		return onObject(func(object *unstructured.Unstructured) (any, error) { return discover(rest[0], object) })
	case command == "act" && len(rest) == 2:
		return onObject(func(object *unstructured.Unstructured) (any, error) { return patchOf(rest[0], rest[1], object) })
	case command == "waves" && len(rest) == 0:
		return onList(waves)
	case command == "diff" && (len(rest) == 1 || len(rest) == 2):
		return onList(func(objects []unstructured.Unstructured) (any, error) {
			return differences(rest[0], rest[1:], objects)
		})
	}
	return nil, errors.New(usage)
}

func onObject(work func(*unstructured.Unstructured) (any, error)) (any, error) {
	object := &unstructured.Unstructured{}
	if err := readJSON(object); err != nil {
		return nil, err
	}
	return work(object)
}

func onList(work func([]unstructured.Unstructured) (any, error)) (any, error) {
	list := &unstructured.UnstructuredList{}
	if err := readJSON(list); err != nil {
		return nil, err
	}
	return work(list.Items)
}

// Through the types' own decoder, which tells whole numbers from others as a client does.
func readJSON(into json.Unmarshaler) error {
	bytes, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	return into.UnmarshalJSON(bytes)
}
