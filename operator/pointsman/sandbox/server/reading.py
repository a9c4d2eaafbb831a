"""GET: one object, a list, a page of one."""

from datetime import datetime
from typing import Any

from pointsman.sandbox.server.answer import Answer, Form, answer, rows
from pointsman.sandbox.server.request import Options, Route
from pointsman.sandbox.server.views import View, view
from pointsman.sandbox.store.listing import Listing
from pointsman.sandbox.store.store import Store
from pointsman.sandbox.store.stored import Stored


def get(store: Store, route: Route, wanted: Form) -> Answer:
    """One object, with its managers. Raises Refused (404)."""
    seen = view(store, route.kind)
    return shown(seen, store.get(seen.stored, route.namespace, route.name), wanted, store.clock.now())


def shown(
    seen: View, stored: Stored, wanted: Form, now: datetime, status: int = 200, warnings: tuple[str, ...] = ()
) -> Answer:
    """An object as the answer to a get or a write."""
    if wanted.rows:
        return rows(seen.kind, [stored.object], now, wanted, {"resourceVersion": str(stored.resource_version)})
    return answer(seen.show(stored.complete), status, warnings)


def list_(store: Store, route: Route, options: Options, wanted: Form) -> Answer:
    """Objects of a collection. Raises Refused (400) for selectors and tokens that make no sense."""
    seen = view(store, route.kind)
    listing = store.list(
        seen.stored,
        route.namespace,
        options.label_selector,
        seen.select(options.field_selector),
        limit=options.limit,
        token=options.continue_token,
    )
    if wanted.rows:
        objects = [stored.object for stored in listing.items]
        return rows(seen.kind, objects, store.clock.now(), wanted, _metadata(listing))
    if seen.is_listed_encoded:
        return Answer(listing.encode(seen.kind))
    items = [seen.show(stored.complete) for stored in listing.items]
    kind = seen.kind.list_kind or f"{seen.kind.kind}List"
    return answer({"kind": kind, "apiVersion": seen.kind.api_version, "metadata": _metadata(listing), "items": items})


def _metadata(listing: Listing) -> dict[str, Any]:
    metadata: dict[str, Any] = {"resourceVersion": str(listing.resource_version)}
    if listing.continue_token:
        metadata |= {"continue": listing.continue_token, "remainingItemCount": listing.remaining}
    return metadata
