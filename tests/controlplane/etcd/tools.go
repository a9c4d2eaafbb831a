//go:build tools

// Package controlplane names the store of the control plane that the tests run against.
package controlplane

import _ "go.etcd.io/etcd/server/v3"
