"""What every request passes: keys, limits, headers, errors, metrics, templates."""
