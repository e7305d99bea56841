"""Turn LLM-agent incidents into redacted, minimal, replayable regression cases."""
