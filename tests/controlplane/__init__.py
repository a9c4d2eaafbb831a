"""A real control plane for tests: etcd, kube-apiserver, kube-controller-manager and, on request, kube-scheduler.

    build.py         where the programs come from: KUBEBUILDER_ASSETS, the cache, or a build from Go modules
    gomodule.py      building one program of a Go module
    files.py         keys, tokens, kubeconfigs and the audit policy of one control plane
    commands.py      the command line of each program
    process.py       one child process: its log, its end
    server.py        start and stop of a whole control plane
    plane.py         what a test holds: address, credentials, kubectl, the audit log
    audit.py         entries of the audit log
    wait.py          waiting for a condition instead of sleeping
    plugin.py        pytest fixtures and the marker `controlplane`

The programs are the released ones, unchanged but for the version stamp; nothing here imitates an API server.
"""
