"""The three scoring strategies of NodeResourcesFit: how used shares of resources become one score."""
