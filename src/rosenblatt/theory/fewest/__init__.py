"""The fewest errors of a hyperplane: enumeration, and proven bounds."""
