"""Cost of an audit against the number of rows: seconds of processor and of clock.

Run: python -m benchmarks.speed.audit
"""

import time

import numpy as np

from consilience.collaboration.audit.contribution import audit_collaboration
from consilience.collaboration.audit.scene import Setting

N_FEATURES = 50


def main():
    rng = np.random.default_rng(0)
    mix = rng.normal(size=(N_FEATURES, N_FEATURES))
    print("rows,columns,form,processor_s,clock_s,median_r2,interval_low,interval_high")
    for n_rows in (1_000, 10_000, 100_000):
        X = rng.normal(size=(n_rows, N_FEATURES)) @ mix
        bounds = X.min(axis=0), X.max(axis=0)
        terms = Setting(scaling="bounds", n_components=N_FEATURES // 2)
        for form in ("quick", "whole"):
            cpu, clock = time.process_time(), time.perf_counter()
            audit = audit_collaboration(X, bounds, terms, quick=form == "quick", seed=0)
            cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
            r2 = audit.worst.median_r2
            figures = f"{cpu:.1f},{clock:.1f},{r2.mean:.3f},{r2.low:.3f},{r2.high:.3f}"
            print(f"{n_rows},{N_FEATURES},{form},{figures}")


if __name__ == "__main__":
    main()
