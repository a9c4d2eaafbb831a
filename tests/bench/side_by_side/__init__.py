"""kube-scheduler and Pointsman on the same API server, one after the other, in one run: what `make bench` starts.

workloads   what is placed on which cluster, named as in upstream's scheduler_perf
state       that cluster made once, as an etcd folder which every run starts from a copy of
contestants how each scheduler is started
watcher     what the API server shows of a run: when pods were bound and events written
run         one contestant on one workload
report      medians, ratios, the table and bench.json
"""
