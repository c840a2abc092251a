"""What is shown of a model: measures, evidence, pictures."""
