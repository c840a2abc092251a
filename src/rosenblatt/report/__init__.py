"""What is shown of data and models: words, measures, evidence, pictures."""
