"""From a spec to a policy: compiling, its problems and notes, building, guards."""
