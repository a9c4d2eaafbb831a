"""Random clusters and the pods to schedule there: a pure function of seed, number and scheduler names.

    generate.py     which themes a world has; putting it together
    scene.py        the dice, and what the parts of one world tell each other
    shared.py       what all worlds share: namespaces, classes of priority and of runtime
    nodes.py        nodes: sizes, labels, taints, images, features
    pods.py         bare pods, running and pending: labels, containers, amounts
    themes.py       what makes a pod choosy about nodes: taints, node affinity, ports, images, features
    neighbours.py   what makes a pod choosy about other pods: spread constraints, pod affinity
    owners.py       Services and controllers
    storage.py      claims, volumes, classes, drivers, attachments
    budgets.py      a full cluster for preemption, and its PodDisruptionBudgets

Themes keep worlds apart: a world has a few of them and shows each often, so that every rule meets pods which only it
refuses.
"""
