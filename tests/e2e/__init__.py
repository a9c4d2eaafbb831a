"""End to end: operator and engines as pods of real Deployments, with only their own ServiceAccounts' rights."""
