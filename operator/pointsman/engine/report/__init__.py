"""What an engine tells of itself: statistics, the report on the Lease, metrics."""
