"""Split the papers, mine triplets from citations, and write them to files."""
