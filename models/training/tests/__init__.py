"""Tests of the pipeline; they need no data but the model in use."""
