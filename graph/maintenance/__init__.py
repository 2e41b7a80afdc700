"""Update, delete, clear and count what the graph holds."""
