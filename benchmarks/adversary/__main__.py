"""``python -m benchmarks.adversary``."""

import sys

from benchmarks.adversary.run import main

sys.exit(main())
