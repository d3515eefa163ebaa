# Debian 12 with Sinew built and tested: docker build -t sinew .   (docs/other_systems.md)
FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates make && rm -rf /var/lib/apt/lists/*
WORKDIR /sinew

# the packages change rarely: a layer of their own
COPY tools/install_deps.sh tools/install_deps.sh
RUN tools/install_deps.sh && rm -rf /var/lib/apt/lists/*

COPY . .
RUN make test && rm -rf build/embed build/prefix
ENV PATH=/sinew/build/release:$PATH
CMD ["sinew", "--help"]
