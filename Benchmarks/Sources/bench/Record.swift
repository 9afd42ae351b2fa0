// What is kept of a run: build/bench.json with every reading, docs/benchmarks.md for people.
import Foundation

struct Record {
  let rows: [Row]
  let settings: Settings
  let machine: Machine
  private let date = Date.now.formatted(.iso8601.year().month().day())

  init(rows: [Row], settings: Settings, machine: Machine) {
    self.rows = rows
    self.settings = settings
    self.machine = machine
  }

  func json() throws -> Data {
    struct Entry: Encodable {
      let name, text, unit, verdict: String
      let ours, peer, ratio: Double?
      let oursAll, peerAll: [Double]
      let peerName, bar, problem: String?
    }
    struct File: Encodable {
      let date: String
      let machine: [String: String]
      let rounds: Int
      let rows: [Entry]
    }
    let entries = rows.map {
      Entry(
        name: $0.question.name, text: $0.question.text, unit: $0.question.quantity.unit,
        verdict: $0.verdict.rawValue, ours: $0.ours, peer: $0.peer, ratio: $0.ratio, oursAll: $0.oursAll,
        peerAll: $0.peerAll, peerName: $0.question.peer?.label, bar: $0.question.bar?.text,
        problem: $0.problem)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(
      File(
        date: date, machine: Dictionary(uniqueKeysWithValues: machine.facts.map { ($0.name, $0.value) }),
        rounds: settings.rounds, rows: entries))
  }

  func markdown() -> String {
    """
    # Benchmark results

    Written by `make bench` on \(date); not edited by hand. Only the ratios mean something on another machine.

    \(Record.table(["", ""], machine.facts.map { [$0.name, $0.value] }))

    ## Against the bars

    \(Record.table(Record.columns, rows.filter { $0.question.bar != nil }.map(Record.cells)))

    ## For comparison

    \(Record.table(Record.columns, rows.filter { $0.question.bar == nil }.map(Record.cells)))

    ## How this is measured

    - Every figure is the median of \(settings.rounds) rounds; the programs of a row take turns (A B A B), in one
      run, on one machine. A ratio is ours divided by the peer's.
    - Each client is a whole program, built for release (`swift build -c release`, `gcc -O2`, `go build`), run
      for \(short(settings.seconds)) seconds a round where the work has no end of its own. CPU is user and system
      time of the whole process, its start included.
    - The server is nginx from Debian with one worker on loopback, access log off, connections kept alive. It
      sends a file of 1 KiB, of 1 GiB, or 512 MiB of 100-byte lines.
    - *FoundationNetworking* is the same Swift source as ours with another import. *C, libcurl multi* is
      `Benchmarks/peers/curl_client.c`: epoll, `curl_multi_socket_action`, easy handles used again. *Go* is
      `Benchmarks/peers/go/main.go`. *curl* is the command, with `-o /dev/null`, or for `download` with `-o FILE` in
      the same folder. *wrk* and *h2load* are load generators without an HTTP library: the distance to the limit.
    - `download` writes its file to memory (`/dev/shm`) where there is room, so that no disk is measured. The file is
      deleted after the time is taken.
    - https is TLS 1.3 with an ECDSA P-256 certificate. HTTP/1.1 and HTTP/2 have a port each. Every client trusts
      one file: the system's \(Authority.systemBundle) and the authority of this run. libcurl parses that file once
      in the C client (`CURLOPT_CAPATH` is null). Rows of the *system's trust store* are of Retriever without that
      setting: a preloaded library (`Benchmarks/peers/system_store.c`) adds the authority to the system's file.
    - New TLS connections: the server closes each connection after its response. It reports with each response
      whether the TLS session was resumed; for full handshakes it keeps no sessions and gives no tickets. The C
      client keeps its sessions in a share handle.
    - Queued loads have the default of 6 connections and start at the same time; 1,000 of them repeat until the round
      is over.
    - The stalled look-up is `Benchmarks/peers/stalled_lookup.c`, a preloaded `getaddrinfo`. Next to it four tasks in
      two sessions load a page every millisecond, and each session looks up another name. `lookup.delay` is the
      slowest of these loads, less the slowest without a stall.
    - Memory above start is the highest resident size less that at the start of `main`.
    - Held requests: `Benchmarks/peers/holder.c` reads every request and answers none until all have arrived;
      threads and resident memory of the client are read from `/proc` at that moment.

    - Pictures are drawn by `Sources/TestSupport/Pictures` and encoded by Pillow: JPEG of quality 85 and 4:2:0, WebP of
      quality 80. A thumbnail is made of a file in memory, fits into \(Measurement.thumbnailSize) pixels and ends
      as a JPEG of quality 80; CPU is that of the loop alone. *libvips* and *Pillow* are
      `Benchmarks/peers/thumbnail.py`, libvips scaling as encoded (gamma) or in linear light; *decode only* is
      `Benchmarks/peers/jpeg_decode.c` at the scale that keeps twice the thumbnail's width.
    - Points are SSIMULACRA2's, against a Lanczos thumbnail of all pixels in floating point and linear light; 100 is
      no difference. Between points the column shows the difference, not the ratio.

    - A picture that is still arriving comes from `Benchmarks/peers/trickle.c`, which says when it wrote its last byte.
      A half-done thumbnail is cancelled half-way through the time that a whole one takes; its memory is free when
      the allocator (`mallinfo2`) holds no more than before.
    - The server of thumbnails is `Benchmarks/Sources/bench-thumbnails`. Like thumbor it fetches each picture from nginx
      on the same machine and keeps neither pictures nor thumbnails; `bench-images load` checks every answer. thumbor
      runs with pycurl, once as one process and once as two, each without threads for images; the better counts. CPU is
      that of the server's processes.

    - Kennel is `kennel serve` with users and \(KennelData.postsPerPicture * KennelData.pictures.count) imported photos. `wrk` asks it and nginx on one thread;
      nginx sends as a file what Kennel has sent. Each heart is another user's, changes something, and is answered when it is
      on the disk. New thumbnails are of photos that differ in a comment only, and the cache on the disk is empty; thumbor
      reads the same files, and keeps nothing. `Benchmarks/peers/crowd.c` listens to events; *libmicrohttpd alone* is
      `Benchmarks/peers/stream.c`, which greets and holds as many connections with the same memory allowed for each.
      Between figures of memory and threads the column shows the difference, not the ratio.

    - `adopt check` and SwiftParser alone read this repository's own sources, which lie in memory, on all processors:
      `Adopt/Sources/bench-adopt`.

    To repeat it: `make bench`; one row or some: `ONLY=get64 make bench`.

    """
  }

  private static let columns = ["Row", "What", "Ours", "Peer", "", "Ratio", "Bar", ""]

  private static func cells(_ row: Row) -> [String] {
    let cells = row.cells
    let peer = row.question.peer?.label ?? "-"
    return ["`\(cells[0])`", row.question.text, cells[1], peer, cells[2], cells[3], cells[4], cells[5]]
  }

  private static func table(_ heading: [String], _ rows: [[String]]) -> String {
    ([heading, heading.map { _ in "---" }] + rows)
      .map { "| " + $0.joined(separator: " | ") + " |" }
      .joined(separator: "\n")
  }
}
