// CoreDNS with no more plugins than the bed's Corefile names: all of them would take minutes to build.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/rewrite"
)

// What is not here is no directive; the order is that of the plugins of a query.
func init() {
	dnsserver.Directives = []string{"bind", "errors", "rewrite", "kubernetes"}
}

func main() {
	coremain.Run()
}
