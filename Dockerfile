# Medley with ffmpeg, fonts for image cards in Chinese, Japanese, Korean, Thai and Arabic, and, on amd64, osu!'s own calculator (LGPL-3.0, loaded at run time); its data lie in /data. Another image with Node 20, 22 or 24 on Debian can be given as NODE_IMAGE.
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /medley
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund
# Stars and pp by today's rules. It needs glibc 2.38; where that is older, Medley says so and estimates.
ARG CALCULATOR=@tosuapp/lazer-calculator-linux-x64@0.6.1-20260729-main.0
RUN if [ "$(uname -m)" = x86_64 ]; then npm install --no-save --omit=dev --no-audit --no-fund "$CALCULATOR"; fi

FROM ${NODE_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates ffmpeg fonts-dejavu-core fonts-tlwg-garuda-ttf fonts-wqy-microhei \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /medley
COPY --from=build /medley/package.json ./
COPY --from=build /medley/node_modules node_modules
COPY --from=build /medley/dist dist
# By number, so that an orchestrator can tell that it is not root.
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
# /tools: where compose keeps a fresh yt-dlp. The threads share few arenas of memory: each would keep megabytes that it has no use for. Pieces of 64 KB or
# more, which bodies of answers come in, are given back as they are freed: among small ones they would stay, a quarter of all memory after a busy minute.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 HOST=0.0.0.0 PORT=3000 DATA_DIR=/data PATH=/tools:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# A quarter less memory under load than with the young space that newer Nodes take.
CMD ["node", "--max-semi-space-size=8", "dist/main.js"]
