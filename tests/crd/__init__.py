"""The SchedulerProfile CRD on a real API server."""
