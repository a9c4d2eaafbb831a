"""What is known of a kind's fields: types, how lists and maps merge, what is published. Pure data, no validation."""
