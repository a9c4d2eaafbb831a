//go:build tools

// Package helm names the Helm whose major version the tests of the chart run.
package helm

import _ "helm.sh/helm/v3/cmd/helm"
