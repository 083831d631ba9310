"""A module that cannot be imported."""

import nothing_here
