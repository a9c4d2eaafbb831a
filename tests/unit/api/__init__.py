"""What users write and read: models, catalogue, messages, and the schema that they must agree with."""
