"""The operator: gather -> plan -> apply -> status for one SchedulerProfile at a time."""
