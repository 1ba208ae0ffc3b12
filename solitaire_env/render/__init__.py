"""Pictures of a table, drawn from a position alone: no module here knows a rule."""
