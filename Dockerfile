# One image for operator and engines: `pointsman operator`, `pointsman engine`.
#
# BUILD_IMAGE makes the virtual environment, RUNTIME_IMAGE runs it; both need the same Python (3.11 or newer) at the same
# path, and only the first needs pip. Pin them by digest where it matters.
ARG BUILD_IMAGE=docker.io/library/python:3.11-slim-bookworm
ARG RUNTIME_IMAGE=docker.io/library/python:3.11-slim-bookworm

FROM ${BUILD_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
WORKDIR /source
RUN python3 -m venv /opt/pointsman && python3 -m venv /opt/tools

# Everything that is downloaded is checked against the hashes of the locks, and nothing is compiled.
COPY requirements.lock requirements-build.lock ./
RUN /opt/pointsman/bin/python -m pip install --require-hashes --only-binary :all: --requirement requirements.lock
RUN /opt/tools/bin/python -m pip install --require-hashes --only-binary :all: --requirement requirements-build.lock

COPY pyproject.toml README.md LICENSE ./
COPY operator operator
COPY templates templates
COPY examples examples
COPY deploy/kustomize/base deploy/kustomize/base
RUN /opt/tools/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/pointsman/bin/python -m pip install --no-deps --no-index /wheels/*.whl \
    && /opt/pointsman/bin/python -m compileall -q /opt/pointsman/lib \
    && /opt/pointsman/bin/python -m pip uninstall --yes pip setuptools

FROM ${RUNTIME_IMAGE} AS runtime
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Pointsman" \
      org.opencontainers.image.description="A Kubernetes operator that runs a fleet of custom schedulers" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /opt/pointsman /opt/pointsman
# The root file system may be read-only: no bytecode is written, there is no home. Logs are written at once.
ENV PATH=/opt/pointsman/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOME=/nonexistent
WORKDIR /
USER 65532:65532
EXPOSE 8080
# Without a shell: the process is PID 1, and gets SIGTERM itself.
ENTRYPOINT ["pointsman"]
CMD ["--help"]
