"""The parts of benchmarks/run: what there is (suite), compiling it (building), running it (measuring), tables (report)."""
