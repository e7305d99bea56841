"""Our own implementation against the published conformance cases."""
