"""``python -m consilience`` is the command ``consilience``."""

from consilience.cli import main

if __name__ == "__main__":
    main()
