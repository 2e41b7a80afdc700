"""How files are written, whatever they say: JSON, CSV, XML, Parquet, LaTeX, and their values."""
