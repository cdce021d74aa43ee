// Command controlplane is one executable that is a whole Kubernetes control plane.
//
// It answers one question: how do the project's tests and its demo get a real
// API server on a machine that has only a Go toolchain? The upstream programs are
// Go modules, so they are linked into one file, and the name it is called by
// (argv[0], a symlink) picks the program. crates/testbed builds it and starts it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func serve(command func() *cobra.Command) func() {
	return func() { os.Exit(cli.Run(command())) }
}

var programs = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          serve(apiserver.NewAPIServerCommand),
	"kube-controller-manager": serve(controllermanager.NewControllerManagerCommand),
	"kube-scheduler":          serve(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubectl": func() {
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			util.CheckErr(err)
		}
	},
}

func main() {
	called := filepath.Base(os.Args[0])
	if program, known := programs[called]; known {
		program()
		return
	}
	names := make([]string, 0, len(programs))
	for name := range programs {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "controlplane: called as %q; link it under one of these names and call that: %s\n",
		called, strings.Join(names, ", "))
	os.Exit(2)
}
