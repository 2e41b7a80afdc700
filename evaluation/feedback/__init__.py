"""Learning from use: click logs, propensities of places, interleaved lists."""
