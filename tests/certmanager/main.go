// Command certmanager is one executable that is cert-manager's controller and its CA injector.
//
// It answers one question: do the certificates, issuers and annotations that this
// project installs do what they should, in the hands of the program that reads
// them in a cluster? The name it is called by (argv[0], a symlink) picks the part;
// crates/testbed builds it and starts both.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/cert-manager/cert-manager/cmd/util"
	"github.com/cert-manager/cert-manager/pkg/logs"
)

var programs = map[string]func(stop <-chan struct{}, arguments []string) error{
	"cert-manager-controller": runController,
	"cert-manager-cainjector": runInjector,
}

func main() {
	called := filepath.Base(os.Args[0])
	program, known := programs[called]
	if !known {
		names := make([]string, 0, len(programs))
		for name := range programs {
			names = append(names, name)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stderr, "certmanager: called as %q; link it under one of these names and call that: %s\n",
			called, strings.Join(names, ", "))
		os.Exit(2)
	}

	stop, exit := util.SetupExitHandler(util.GracefulShutdown)
	defer exit() // It may end the process, so it comes last.
	logs.InitLogs(flag.CommandLine)
	defer logs.FlushLogs()
	if err := program(stop, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", called, err)
		util.SetExitCode(err)
	}
}
