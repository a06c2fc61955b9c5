"""Serve a letter box: ``python -m consilience.carriers.letter_box FOLDER``, after serve.

``consilience serve`` reads the study, writes what the server has to know into the folder, and
becomes this process, which knows no table, no method and no study: some 60 MB instead of 200.
"""

from consilience.carriers.letter_box.process import run

if __name__ == "__main__":
    run()
