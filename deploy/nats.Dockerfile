# Debian's own nats-server: the version the tests run against.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends nats-server && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /var/lib/nats && chown nats:nats /var/lib/nats
USER nats
ENTRYPOINT ["/usr/sbin/nats-server"]
