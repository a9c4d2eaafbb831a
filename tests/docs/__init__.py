"""Tests of the documents: what they show is valid, what they tell the reader to type works."""
