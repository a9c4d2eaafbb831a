"""From a SchedulerProfile's spec to an executable Policy: registry, predicates, priorities, the policy document."""
