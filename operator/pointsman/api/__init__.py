"""What users write and read: spec and status models, conditions and reasons, the catalogue of rule names. No I/O."""
