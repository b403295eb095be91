# A complete hub in one container: it builds, serves and follows the prompts in /catalogue. The rest of its file system may be read-only.
#   docker build --build-arg COMMIT_REF=$(git rev-parse HEAD) --tag prompt-hub .
#   docker run --read-only --tmpfs /tmp --volume hub-state:/hub/.hub --volume "$PWD/catalogue:/catalogue" --publish 127.0.0.1:8888:8888 prompt-hub
# For details, see src/pages/docs/hosting-machine.md.

# A release names the image by its digest.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS packages
WORKDIR /hub
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json clients/typescript/
COPY packages/prompt-formats/package.json packages/prompt-formats/
# No package scripts are run, because this image includes Node, and the other packages install their programs as packages.
RUN npm ci --omit=dev --ignore-scripts

FROM ${BASE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /hub
COPY --from=packages /hub/node_modules node_modules
COPY astro.config.mjs package.json package-lock.json tsconfig.json .nvmrc ./
COPY clients clients
COPY releases releases
COPY netlify netlify
COPY packages packages
COPY scripts scripts
COPY src src
# The pages are bundled and the client library is compiled here, so that a start needs neither the time nor the memory for it. Nothing needs Astro's own files.
RUN node scripts/bundle.ts && rm -r .astro
RUN mkdir .hub /catalogue && chown node:node .hub /catalogue
ENV CONTENT_DIR=/catalogue/content HOST=0.0.0.0 PORT=8888 ASTRO_TELEMETRY_DISABLED=1
# The commit of the code, for the metrics: the image has no git repository of it.
ARG COMMIT_REF=
ENV COMMIT_REF=$COMMIT_REF
# The volumes hold tokens, sessions and builds, and the git repository that contains content/.
VOLUME ["/hub/.hub", "/catalogue"]
USER node
EXPOSE 8888
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s CMD ["node", "scripts/healthy.ts"]
# Collects the processes that git leaves behind.
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=2", "scripts/start.ts"]
