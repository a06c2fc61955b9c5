"""Privacy that is measured or proved: noise, budgets, audits."""
