"""Pictures of a training, a model and its mistakes. matplotlib is loaded when the first one is drawn.

words.py makes any label printable, canvas.py is the paper; each other file draws one thing on given axes, and sheets.py
puts them together.
"""
