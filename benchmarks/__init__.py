"""The papers' tables, measured: one folder per paper, run by ``consilience bench NAME``.

Each ``run.py`` has ``run(*, trials, data, out, progress)``. It measures, writes the results under
``out/benchmarks/results`` and the page under ``out/docs``, and yields each file it wrote.
``trials`` is the number per cell, or None for the paper's; ``data`` is the folder with the data
sets, or None; ``progress`` is a bar of rich.
"""
