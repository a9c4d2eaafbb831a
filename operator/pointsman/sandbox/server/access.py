"""What a call asks for, in the words of authorization, and the refusal in those of a real API server."""

from dataclasses import dataclass
from typing import Any

from pointsman.sandbox.server.users import User
from pointsman.sandbox.store.errors import Refused


@dataclass(frozen=True, slots=True)
class Access:
    """One verb on a resource, or on a path that is none (`path` is set then)."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def full_resource(self) -> str:
        """As rules write it: `pods`, `pods/binding`."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def denied(user: User, access: Access) -> Refused:
    """403, as `apiserver/pkg/endpoints/handlers/responsewriters/errors.go` (1.36) words it."""
    if access.path:
        message = f'forbidden: User "{user.name}" cannot {access.verb} path "{access.path}"'
        return Refused(403, "Forbidden", message)
    qualified = f"{access.resource}.{access.group}" if access.group else access.resource
    named = f'{qualified} "{access.name}"' if access.name else qualified
    where = f'in the namespace "{access.namespace}"' if access.namespace else "at the cluster scope"
    message = (
        f'{named} is forbidden: User "{user.name}" cannot {access.verb} resource "{access.full_resource}" '
        f'in API group "{access.group}" {where}'
    )
    details: dict[str, Any] = {"name": access.name, "group": access.group, "kind": access.resource}
    return Refused(403, "Forbidden", message, {key: value for key, value in details.items() if value})
