package main

import (
	"context"
	"flag"
	"net"
	"net/http"
	"os"

	"github.com/spf13/cobra"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cert-manager/cert-manager/cmd/cainjector/app"
	"github.com/cert-manager/cert-manager/cmd/util"
	"github.com/cert-manager/cert-manager/pkg/logs"
)

// runInjector is upstream's command, with an address that answers: upstream's has none.
func runInjector(stop <-chan struct{}, arguments []string) error {
	ctrl.SetLogger(logs.Log)
	address := flag.String("metrics-listen-address", "127.0.0.1:9403", "where each request is answered with 200")
	ctx := util.ContextWithStopCh(context.Background(), stop)
	command := app.NewCommandStartInjectorController(ctx, os.Stdout, os.Stderr)
	// Has --kubeconfig from controller-runtime.
	command.Flags().AddGoFlagSet(flag.CommandLine)
	command.SetArgs(arguments)
	command.SilenceUsage = true
	run := command.RunE
	command.RunE = func(cmd *cobra.Command, args []string) error {
		listener, err := net.Listen("tcp", *address)
		if err != nil {
			return err
		}
		go func() { _ = http.Serve(listener, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) }()
		return run(cmd, args)
	}
	return command.Execute()
}
