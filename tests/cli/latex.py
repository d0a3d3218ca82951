#!/usr/bin/env python3
"""What `sau report` and `sau table` write as LaTeX is compiled by pdflatex, if it is installed.

It needs Debian's texlive-latex-base, texlive-latex-recommended and lmodern. Without pdflatex the test
counts as skipped (exit code 77).
"""

import sys

sys.dont_write_bytecode = True

import re
import shutil
import subprocess
import unittest

from _support import SauTestCase

# Names with every special character of TeX, with Greek letters and with others that TeX does not
# know; and names that are longer than a column.
AGENTS = ("linear(lambda=0.25,intercept=true)+epsilon_greedy(epsilon=0.046,decay=0.93,initial_pulls=2)",
          r"100%_&_$x^2$ #1~{} \alpha=ucb1", "ε-greedy, 日本=epsilon_greedy", "Größe=sau_ucb", "uniform")
PROBLEMS = ("linear(actions=10,dim=10,noise=0.25,theta=normal,contexts=ar1,rho=0.9)",
            "wheel(delta=0.123456789)", "50 % <b>_|=bernoulli(actions=3)")
OTHER_DOCUMENT = r"""\documentclass[twocolumn]{article}
\usepackage{array,booktabs}
\begin{document}
\input{table.tex}
\end{document}
"""


class Latex(SauTestCase):
    def setUp(self):
        super().setUp()
        arguments = [part for agent in AGENTS for part in ("--agent", agent)]
        arguments += [part for problem in PROBLEMS for part in ("--problem", problem)]
        self.good("run", *arguments, "--steps", "200", "--trials", "6", "--quiet", "--out", "r")

    def compiled(self, name):
        """What pdflatex says, and what it wrote."""
        for _ in range(2):  # the second time with the column widths of the first
            done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name],
                                  cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            log = done.stdout.decode("utf-8", "replace")
            self.assertEqual(done.returncode, 0, log)
        with open(self.path(name.replace(".tex", ".pdf")), "rb") as file:
            return log, file.read()

    def test_a_report_has_vector_fonts_and_nothing_in_the_margin(self):
        self.good("report", "r", "-o", "report.tex")
        log, pdf = self.compiled("report.tex")
        self.assertNotRegex(log, r"Overfull|Warning")
        self.assertNotIn(b"/Type3", pdf)
        self.assertGreaterEqual(int(re.search(r"\((\d+) pages", log).group(1)), 3)

    def test_a_table_has_vector_fonts_in_a_document_of_ones_own(self):
        self.good("table", "r", "--table", "regret", "--format", "latex", "-o", "table.tex")
        with open(self.path("own.tex"), "w", encoding="utf-8") as file:
            file.write(OTHER_DOCUMENT)
        _, pdf = self.compiled("own.tex")
        self.assertNotIn(b"/Type3", pdf)


if __name__ == "__main__":
    if shutil.which("pdflatex") is None:
        print("skipped: no pdflatex")
        sys.exit(77)
    unittest.main()
