"""What a judge has learned, in one file that many processes use at once."""
