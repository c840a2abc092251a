"""Pictures of a training, a model and its mistakes. These files load matplotlib: who may draw imports them late.

labels.py makes any text printable, canvas.py is the paper: sheets, axes, legends, files. Each other file draws one
thing on given axes, and sheets.py puts them together.
"""

MOST_PANELS, MOST_FRAMES = 12, 200
"""Updates of a strip, and of a film, at the most. Here, as help names them without loading matplotlib."""
