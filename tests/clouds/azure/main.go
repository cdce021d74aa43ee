// Says whether Microsoft's generated models know everything that stands in a request's body.
//
// A body is decoded into its model and encoded again; whatever did not survive that, the model does not know. Questions come line by
// line on standard input, answers leave line by line on standard output, in the same order. It ends when its input ends.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v7"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/network/armnetwork/v7"
)

type question struct {
	Model string          `json:"model"`
	Body  json.RawMessage `json:"body"`
}

type answer struct {
	// JSON paths that the model lost.
	Unknown []string `json:"unknown,omitempty"`
	// Why the body can not be decoded at all.
	Unreadable string `json:"unreadable,omitempty"`
}

var models = map[string]func() any{
	"VirtualMachine":       func() any { return new(armcompute.VirtualMachine) },
	"VirtualMachineUpdate": func() any { return new(armcompute.VirtualMachineUpdate) },
	"Disk":                 func() any { return new(armcompute.Disk) },
	"DiskUpdate":           func() any { return new(armcompute.DiskUpdate) },
	"Interface":            func() any { return new(armnetwork.Interface) },
	"PublicIPAddress":      func() any { return new(armnetwork.PublicIPAddress) },
	"TagsObject":           func() any { return new(armnetwork.TagsObject) },
}

// Notes every path of `in` that `out` has not, or has with another value.
func lost(path string, in, out any, found *[]string) {
	switch in := in.(type) {
	case map[string]any:
		out, same := out.(map[string]any)
		if !same {
			*found = append(*found, path)
			return
		}
		for key, value := range in {
			below := path + "." + key
			if kept, known := out[key]; known {
				lost(below, value, kept, found)
			} else if value != nil {
				*found = append(*found, below)
			}
		}
	case []any:
		out, same := out.([]any)
		if !same || len(in) != len(out) {
			*found = append(*found, path)
			return
		}
		for index := range in {
			lost(fmt.Sprintf("%s[%d]", path, index), in[index], out[index], found)
		}
	default:
		if !reflect.DeepEqual(in, out) {
			*found = append(*found, path)
		}
	}
}

func judge(line []byte) answer {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Unreadable: "the question is no JSON: " + err.Error()}
	}
	fresh, known := models[asked.Model]
	if !known {
		return answer{Unreadable: "there is no model " + asked.Model}
	}
	model := fresh()
	if err := json.Unmarshal(asked.Body, model); err != nil {
		return answer{Unreadable: err.Error()}
	}
	again, err := json.Marshal(model)
	if err != nil {
		return answer{Unreadable: err.Error()}
	}
	var in, out any
	if err := json.Unmarshal(asked.Body, &in); err != nil {
		return answer{Unreadable: err.Error()}
	}
	if err := json.Unmarshal(again, &out); err != nil {
		return answer{Unreadable: err.Error()}
	}
	unknown := []string{}
	lost("$", in, out, &unknown)
	sort.Strings(unknown)
	return answer{Unknown: unknown}
}

func main() {
	questions := bufio.NewReaderSize(os.Stdin, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := questions.ReadBytes('\n')
		if err != nil {
			return
		}
		if err := answers.Encode(judge(line)); err != nil {
			return
		}
	}
}
