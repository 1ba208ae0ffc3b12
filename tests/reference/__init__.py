"""The slow reference: the rules once more, written from the texts, to disagree with the engine."""
