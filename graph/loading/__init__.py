"""Write papers and citations, live or in bulk."""
