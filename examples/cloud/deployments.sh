#!/bin/sh
# Has Pulumi Deployments run a stack: `sh deployments.sh example/linkerd-multicluster/prod example/mesh POOL`, with the
# stack, the repository on GitHub that has the program and its stack files, and the pool of runners in your network.
set -eu

# The image has Pulumi's CLI, Node 22.18 or later, and `aws` for the kubeconfig of environment.yaml, which Pulumi's image lacks.
pulumi deployment settings edit --stack "$1" \
  --github-repo "$2" --branch main \
  --path-filter 'Pulumi.prod.yaml,Pulumi.yaml,package-lock.json' \
  --preview-prs --push-to-deploy \
  --runner-pool "$3" \
  --executor-image registry.example.com/mesh-runner:1.0.0
