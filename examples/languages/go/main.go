package main

import (
	multicluster "example.com/pulumi-linkerd-multicluster/sdk/go/linkerdmulticluster"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		// A cluster of the same program gives its kubeconfig as an output just so.
		cluster := func(name string) multicluster.ClusterArgs {
			return multicluster.ClusterArgs{Kubeconfig: settings.RequireSecret(name).ToStringPtrOutput()}
		}
		mesh, err := multicluster.NewMesh(ctx, "mesh", &multicluster.MeshArgs{
			Manage:   pulumi.StringRef(settings.Require("manage")),
			Clusters: map[string]multicluster.ClusterArgs{"west": cluster("west"), "east": cluster("east")},
			Links:    []multicluster.LinkArgs{{Source: "east", Target: "west"}},
		})
		if err != nil {
			return err
		}
		ctx.Export("mirrors", mesh.Mirrors)
		ctx.Export("notMirrored", mesh.NotMirrored)
		ctx.Export("trustAnchors", mesh.TrustAnchors)
		return nil
	})
}
