// How the measurements work, for readers of docs/benchmarks.md.

extension Page {
  static let method = """
    - Every value is the median of several rounds; the numbers of rounds and seconds are in [Runs](#runs). The programs
      of a row run alternately (A B A B), in one run, on one machine. A ratio is our value divided by the peer's.
    - Each client is a complete program, built for release (`swift build -c release`, `gcc -O2`, `go build`). CPU is
      the user and system time of the complete process, including its start. Memory is its maximum resident size.
    - The server is nginx from Debian with one worker on the loopback interface, without an access log, and with
      persistent connections. It sends files, without work for each request.
    - *FoundationNetworking* is the same Swift source as ours with another import. *C, libcurl multi* is
      `Benchmarks/peers/curl_client.c`: epoll, `curl_multi_socket_action`, reused easy handles. *Go* is
      `Benchmarks/peers/go/main.go`. *curl* is the command, with `-o /dev/null`, or for `download` with `-o FILE` in
      the same folder. *wrk* and *h2load* are load generators without an HTTP library: they show the upper limit.
    - `download` writes its file to memory (`/dev/shm`) if there is room, so that the disk is not measured. The program
      deletes the file after the measurement.
    - https is TLS 1.3 with an ECDSA P-256 certificate. HTTP/1.1 and HTTP/2 use separate ports. Every client trusts
      one file: the system's \(Authority.systemBundle) and the authority of this run. libcurl parses that file once
      in the C client (`CURLOPT_CAPATH` is null). Rows with the *system's trust store* measure Retriever without that
      setting: a preloaded library (`Benchmarks/peers/system_store.c`) adds the authority to the system's file.
      FoundationNetworking reads only the system's file, and gets it the same way. Like the C client without the
      setting, it parses the file for each new connection.
    - *on TransferExecutor*: the tasks of the same client run on `TransferExecutor`, whose threads receive the responses.
    - Compressed bodies are files that were compressed before: nginx only adds `Content-Encoding`. Go is missing for
      brotli, because its standard library has no decoder.
    - Decoded JSON: `JSONDecoder` in Swift, `encoding/json` in Go. C has no customary decoder.
    - Uploads: nginx reads the complete body before it answers.
    - *5 hosts*: each of 64 tasks takes the next request of a list: two lists of dogs, 4 KiB each, and one new dog for each
      host. After every tenth request it pauses for 20 ms. Three hosts use HTTP/1.1, two use HTTP/2.
    - *1,000 hosts* are addresses of the loopback interface. Addresses instead of names, so that all clients do the same
      work: Go would use a resolver of its own.
    - At a fixed rate, requests start at planned times, whether or not earlier ones have ended. The latency counts from the
      planned start. The rate is half of the maximum of the slower client, measured in the same run.
    - New TLS connections: the server closes each connection after its response. It reports with each response
      whether the TLS session was resumed; for full handshakes it keeps no sessions and sends no tickets. The C
      client keeps its sessions in a share handle.
    - Queued loads use the default of 6 connections and start at the same time. Batches of 1,000 loads repeat until the
      round is over.
    - The stalled look-up is `Benchmarks/peers/stalled_lookup.c`, a preloaded `getaddrinfo`. At the same time,
      four tasks in two sessions load a page every millisecond, and each session looks up another name.
      `lookup.delay` is the slowest of these loads, minus the slowest without a stall.
    - Memory above start is the maximum resident size minus the size at the start of `main`.
    - Held requests: `Benchmarks/peers/holder.c` reads every request, and answers none until all have arrived. The
      threads and the resident memory of the client are read from `/proc` at that time.

    - Pictures are drawn by `Sources/TestSupport/Pictures` and encoded by Pillow: JPEG of quality 85 and 4:2:0, WebP of
      quality 80. A thumbnail is made of a file in memory, fits into \(Measurement.thumbnailSize) pixels, and is
      encoded as a JPEG of quality 80. CPU is the time of the loop alone. *libvips* and *Pillow* are
      `Benchmarks/peers/thumbnail.py`, libvips scaling as encoded (gamma) or in linear light; *decode only* is
      `Benchmarks/peers/jpeg_decode.c` at the scale that keeps twice the thumbnail's width.
    - Photographs are those of the Debian package mate-backgrounds, cropped to odd sizes.
    - Points are SSIMULACRA2 scores, compared with a Lanczos thumbnail of all pixels in floating point and linear
      light. 100 means no difference. For points, the ratio column shows the difference.

    - A picture that is still arriving comes from `Benchmarks/peers/trickle.c`, which reports when it wrote its last byte.
      A half-done thumbnail is cancelled after half the time of a complete one. Its memory is free when the allocator
      (`mallinfo2`) uses no more than before.
    - The thumbnail server is `Benchmarks/Sources/bench-thumbnails`. Like thumbor, it fetches each picture from nginx on
      the same machine, and keeps neither pictures nor thumbnails. `bench-images load` checks every response. thumbor
      runs with pycurl, as one process and as two, without threads for images; the better result counts. CPU is the
      time of the server's processes.

    - Kennel is `kennel serve` with users and \(KennelData.postsPerPicture * KennelData.pictures.count) imported photos. `wrk` sends requests to Kennel and nginx
      on one thread, and `h2load --h1` those that are answered with 304. nginx sends Kennel's response as a file. Consecutive hearts belong to different users. Each changes
      something, and is on the disk before the response. The photos of new thumbnails differ only in a comment, and
      the disk cache is empty. thumbor reads the same files, and keeps nothing. `Benchmarks/peers/crowd.c` listens to
      events. *libmicrohttpd alone* is `Benchmarks/peers/stream.c`, which greets and holds as many connections, with
      the same memory limit for each. For memory and threads, the ratio column shows the difference.

    - `Adopt/Sources/bench-adopt` runs `adopt check` and SwiftParser alone on this repository's sources, from memory and
      on all processors.
    """
}
