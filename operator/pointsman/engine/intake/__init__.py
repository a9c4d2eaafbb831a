"""From watches to the cluster: which kinds are watched for which rules, and where their events go."""
