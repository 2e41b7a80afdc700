"""Steps that need the graph and an encoder together: training, SGC, files of vectors."""
