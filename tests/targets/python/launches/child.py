"""Starts another interpreter for the work."""

import subprocess
import sys

subprocess.run([sys.executable, '-m', 'shop'], check=True)
