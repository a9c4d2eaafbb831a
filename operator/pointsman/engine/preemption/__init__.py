"""Room by force: which pods of lower priority must go so that a pod which fits nowhere gets a node, and their eviction.

Everything but `eviction` is pure and decides on one state of the columns; kube-scheduler's DefaultPreemption, 1.36.
"""
