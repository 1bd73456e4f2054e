# The executable, built with `cargo build --release` and copied beside this file.
FROM debian:bookworm-slim
RUN useradd --system --home /var/lib/nue nue && mkdir -p /var/lib/nue && chown nue:nue /var/lib/nue
COPY nue /usr/local/bin/nue
USER nue
WORKDIR /var/lib/nue
ENTRYPOINT ["/usr/local/bin/nue"]
