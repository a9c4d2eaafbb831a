"""Guards of the project itself: layout, locks, documents."""
