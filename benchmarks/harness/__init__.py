"""The parts of benchmarks/run: what there is (suite), compiling it (building), running it (measuring), comparing on the
host (emulated, compiletimes), tests (checking), and tables (report)."""
