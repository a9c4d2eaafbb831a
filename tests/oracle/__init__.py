"""The oracle: the stock kube-scheduler and Pointsman decide on the same clusters, and every decision is compared.

    __main__.py           the command: so many decisions of a seed
    run.py                the loop over worlds and candidates
    worlds/               random clusters, and the pods that are to be scheduled there
    things.py             objects as the generator makes them and the server takes them
    profiles.py           the profiles under comparison, in both sides' words
    server.py             the oracle's side: worlds on a real API server, and kube-scheduler's verdicts
    kube_scheduler.py     the stock kube-scheduler's process
    log.py                what its log tells
    volume_controller.py  binds claims once kube-scheduler has chosen
    watching.py           a collection of the API server, always up to date
    ours.py               Pointsman's side
    compare.py            one decision, two sides
    report.py             counting

The states stay equal because Pointsman binds nothing: it decides, and then follows what kube-scheduler did.
"""
