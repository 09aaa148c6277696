using System.Collections.Generic;
using Pulumi;
using Pulumi.LinkerdMulticluster;
using Pulumi.LinkerdMulticluster.Inputs;

return await Deployment.RunAsync(() =>
{
    var settings = new Config();
    // A cluster of the same program gives its kubeconfig as an output just so.
    ClusterArgs Cluster(string name) => new() { Kubeconfig = settings.RequireSecret(name) };

    var mesh = new Mesh("mesh", new MeshArgs
    {
        Manage = settings.Require("manage"),
        Clusters = new Dictionary<string, ClusterArgs>
        {
            ["west"] = Cluster("west"),
            ["east"] = Cluster("east"),
        },
        Links = new List<LinkArgs> { new() { Source = "east", Target = "west" } },
    });

    return new Dictionary<string, object?>
    {
        ["mirrors"] = mesh.Mirrors,
        ["notMirrored"] = mesh.NotMirrored,
        ["trustAnchors"] = mesh.TrustAnchors,
    };
});
