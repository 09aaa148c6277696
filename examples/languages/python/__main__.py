import pulumi
from pulumi_linkerd_multicluster import ClusterArgs, LinkArgs, Mesh

settings = pulumi.Config()


def cluster(name: str) -> ClusterArgs:
    """A cluster of the same program gives its kubeconfig as an output just so."""
    return ClusterArgs(kubeconfig=settings.require_secret(name))


mesh = Mesh(
    "mesh",
    manage=settings.require("manage"),
    clusters={name: cluster(name) for name in ("west", "east")},
    links=[LinkArgs(source="east", target="west")],
)

pulumi.export("mirrors", mesh.mirrors)
pulumi.export("notMirrored", mesh.not_mirrored)
pulumi.export("trustAnchors", mesh.trust_anchors)
