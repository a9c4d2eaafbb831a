"""CustomResourceDefinitions: from the object that a user applies to a kind that the store serves."""
